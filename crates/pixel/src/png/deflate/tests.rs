use super::*;
use crate::random::Random;

/// The stream of these blocks, with the frame that zlib puts around it.
fn zlib(blocks: &[(&[u8], Search)]) -> Vec<u8> {
    let mut searcher = Searcher::new();
    let mut writer = BitWriter::at_end_of(vec![0x78, 0x01]);
    let mut adler = simd_adler32::Adler32::new();
    for (i, (data, search)) in blocks.iter().enumerate() {
        write_block(&mut searcher, data, *search, i + 1 == blocks.len(), &mut writer);
        adler.write(data);
    }
    let mut out = writer.finish();
    out.extend(adler.finish().to_be_bytes());
    out
}

fn check(data: &[u8], split: usize) {
    let (head, tail) = data.split_at(split.clamp(1, data.len() - 1));
    for search in [Search::Repeats, Search::Runs] {
        let other = if search == Search::Runs { Search::Repeats } else { Search::Runs };
        let stream = zlib(&[(head, search), (tail, other)]);
        let back = fdeflate::decompress_to_vec(&stream).expect("a valid stream");
        assert!(back == data, "{search:?} loses data of {} bytes split at {split}", data.len());
    }
}

#[test]
fn what_is_written_is_read_back() {
    let zeros = vec![0u8; 70_000];
    let ramp: Vec<u8> = (0..70_000u32).map(|i| (i / 7) as u8).collect();
    let text = b"the quick brown fox jumps over the lazy dog ".repeat(900);
    for data in [&[7, 7][..], &[7, 8], &[7; 8], &[7; 9], &[7; 300], &zeros, &ramp, &text] {
        for split in [0, 1, 8, 1000, 40_000] {
            check(data, split);
        }
    }
}

#[test]
fn every_length_around_the_limits_of_a_match_is_said_right() {
    for length in (1..40).chain(250..270).chain(510..530).chain(770..780) {
        let mut data = b"abcdefgh".to_vec();
        data.extend(vec![b'x'; length]);
        data.extend(b"ijklmnop");
        data.extend(vec![b'x'; length]);
        check(&data, data.len());
    }
    for length in 3..1000 {
        assert_eq!(pieces(length).sum::<u32>(), length);
        assert!(pieces(length).all(|p| (3..=258).contains(&p)), "{length}");
    }
}

#[test]
fn every_distance_is_said_right() {
    for distance in [9, 10, 255, 256, 257, 1023, 1025, 4609, 16_384, 16_385, 32_767, 32_768, 32_769, 40_000] {
        let noise = |i: usize| (i.wrapping_mul(2_654_435_761) >> 13) as u8;
        let mut data: Vec<u8> = (0..distance).map(noise).collect();
        data.extend_from_within(..distance.min(60));
        check(&data, data.len());
    }
    // Bases of RFC 1951, section 3.2.5.
    let spoken = |s: Spoken| (s.symbol, s.extra, s.extra_len);
    assert_eq!(spoken(length_symbol(3)), (257, 0, 0));
    assert_eq!(spoken(length_symbol(10)), (264, 0, 0));
    assert_eq!(spoken(length_symbol(12)), (265, 1, 1));
    assert_eq!(spoken(length_symbol(257)), (284, 30, 5));
    assert_eq!(spoken(length_symbol(258)), (285, 0, 0));
    assert_eq!(spoken(distance_symbol(1)), (0, 0, 0));
    assert_eq!(spoken(distance_symbol(4)), (3, 0, 0));
    assert_eq!(spoken(distance_symbol(6)), (4, 1, 1));
    assert_eq!(spoken(distance_symbol(32_768)), (29, 8191, 13));
}

#[test]
fn repeats_are_found_and_the_estimate_knows() {
    let tile: Vec<u8> = (0..900u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 11) as u8).collect();
    let tiles = tile.repeat(50);
    let size = |search| zlib(&[(&tiles[..], search)]).len();
    assert!(size(Search::Repeats) < 2_000, "{} bytes", size(Search::Repeats));
    assert!(size(Search::Runs) > 30_000, "{} bytes", size(Search::Runs));
    let mut searcher = Searcher::new();
    assert!(searcher.estimate(&tiles, Search::Repeats) * 10 < searcher.estimate(&tiles, Search::Runs));
}

#[test]
fn memory_of_earlier_blocks_changes_no_byte() {
    let data: Vec<u8> = (0..9000u32).map(|i| (i / 5 % 77) as u8).collect();
    let write = |searcher: &mut Searcher| {
        let mut writer = BitWriter::at_end_of(Vec::new());
        write_block(searcher, &data, Search::Repeats, true, &mut writer);
        writer.finish()
    };
    let mut used = Searcher::new();
    let fresh = write(&mut used);
    used.base = u32::MAX / 2 - 5000;
    for round in 0..4 {
        assert!(write(&mut used) == fresh, "differs in round {round}, when positions wrap");
    }
}

#[test]
fn any_bytes_survive() {
    let mut random = Random::new(1951);
    for case in 0..600 {
        let len = random.size(2, 5000) as usize;
        let colours = if case % 2 == 0 { 256 } else { random.size(1, 5) };
        let mut data = random.bytes(len);
        data.iter_mut().for_each(|byte| *byte = (u32::from(*byte) % colours) as u8);
        check(&data, random.size(1, len as u32) as usize);
    }
}
