//! The overlay where Windows draws everything at 150 %: it stays in pixels of the screen.

// spec: S-13 S-61 WINE
#[test]
fn a_person_and_the_model_see_the_same() {
    crate::wine_overlay::everybody_sees_the_same();
}
