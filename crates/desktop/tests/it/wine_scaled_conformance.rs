//! The same where everything is drawn half as large again, at 144 DPI.

use handsight_testkit::conformance::Rig;

fn rig() -> Option<Rig> {
    crate::wine_conformance::rig_as("windows at 144 DPI")
}

handsight_testkit::conformance! { rig; all }
