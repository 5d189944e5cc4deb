# The frame path as a shell script walks it: scrot, convert, base64, xdotool.
#
#     sh scrot_path.sh X Y
#
# Says `ready`, then walks the path once for each line of input and says `done`. Files lie in the current folder.
x=$1 y=$2
# By its own name in Debian first: a wrapper that is called `convert` would be measured with it.
convert=$(command -v convert-im6.q16 || command -v convert)
for program in scrot "${convert:-convert}" xdotool; do
    if ! command -v "$program" >/dev/null; then
        echo "missing: apt-get install scrot imagemagick xdotool"
        exit 0
    fi
done
echo ready
while read -r _; do
    scrot -o -p peer-whole.png &&
        "$convert" peer-whole.png -sample '1536x864!' peer-scaled.png &&
        base64 -w0 peer-scaled.png >/dev/null &&
        xdotool mousemove "$x" "$y" click 1 &&
        echo done || echo failed
done
