//! Values that are well-formed but make no sense, each told with its key and what it may be.
//!
//! What a key may be by its type alone is not looked at here: reading the file has refused it.

use super::{Profile, ProfileError};

impl Profile {
    /// Values that are well-formed but make no sense.
    pub(super) fn check(&self) -> Result<(), ProfileError> {
        let seconds = [
            ("act.input_delay_s", self.act.input_delay_s),
            ("act.step_delay_s", self.act.step_delay_s),
            ("act.delay_after_action_s", self.act.delay_after_action_s),
            ("act.delay_after_observe_s", self.act.delay_after_observe_s),
            ("act.max_hold_s", self.act.max_hold_s),
            ("act.run_dialog_wait_s", self.act.run_dialog_wait_s),
            ("perceive.ocr.limit_s", self.perceive.ocr.limit_s),
            ("settle.max_s", self.settle.max_s),
            ("settle.check_interval_s", self.settle.check_interval_s),
            ("decide.request_timeout_s", self.decide.request_timeout_s),
            ("decide.connect_timeout_s", self.decide.connect_timeout_s),
            ("decide.first_byte_timeout_s", self.decide.first_byte_timeout_s),
            ("decide.next_byte_timeout_s", self.decide.next_byte_timeout_s),
            ("decide.park_s", self.decide.park_s),
            ("decide.confirm_s", self.decide.confirm_s),
            ("record.full_wait_s", self.record.full_wait_s),
            ("desktop.lost_s", self.desktop.lost_s),
            ("desktop.target_wait_s", self.desktop.target_wait_s),
            ("person.quiet_s", self.person.quiet_s),
        ];
        for (key, value) in seconds {
            if !(0.0..=86_400.0).contains(&value) {
                return Err(ProfileError::value(key, value, "0 to 86400 seconds"));
            }
        }
        let pixels = [("settle.sample_w", self.settle.sample_w), ("settle.sample_h", self.settle.sample_h)];
        for (key, value) in pixels {
            if !(16..=16_384).contains(&value) {
                return Err(ProfileError::value(key, value, "16 to 16384 pixels"));
            }
        }
        self.context.check_picture()?;
        self.policy.check()?;
        self.perceive.check()?;
        self.perceive.marks.check()?;
        if !(0.0..=1.0).contains(&self.settle.change_ratio_threshold) {
            return Err(ProfileError::value(
                "settle.change_ratio_threshold",
                self.settle.change_ratio_threshold,
                "0 to 1",
            ));
        }
        if !(0.0..=10.0).contains(&self.act.jitter) {
            return Err(ProfileError::value("act.jitter", self.act.jitter, "0 to 10"));
        }
        if self.context.budget_tokens.is_some_and(|tokens| tokens < 1000) {
            let tokens = self.context.budget_tokens.unwrap_or_default();
            return Err(ProfileError::value("context.budget_tokens", tokens, "1000 tokens or more"));
        }
        if self.decide.max_failures == 0 {
            return Err(ProfileError::value("decide.max_failures", 0, "1 or more"));
        }
        if self.decide.max_malformed == Some(0) {
            return Err(ProfileError::value("decide.max_malformed", 0, "1 or more"));
        }
        if !(1..=64).contains(&self.decide.max_steps_per_turn) {
            let steps = self.decide.max_steps_per_turn;
            return Err(ProfileError::value("decide.max_steps_per_turn", steps, "1 to 64"));
        }
        for (key, value) in [
            ("limits.max_time_s", self.limits.max_time_s),
            ("limits.max_cost_usd", self.limits.max_cost_usd),
            ("limits.max_cost_usd_per_day", self.limits.max_cost_usd_per_day),
        ] {
            if value.is_some_and(|v| !v.is_finite() || v <= 0.0) {
                return Err(ProfileError::value(key, value.unwrap_or_default(), "more than 0"));
            }
        }
        let (input, output) = (self.decide.price_input_usd, self.decide.price_output_usd);
        for (key, value) in [("decide.price_input_usd", input), ("decide.price_output_usd", output)] {
            match value {
                Some(price) if !price.is_finite() || price < 0.0 => {
                    return Err(ProfileError::value(key, price, "0 or more US dollars per million tokens"));
                }
                None if input.is_some() || output.is_some() => {
                    return Err(ProfileError::value(key, "missing", "given together with the other price"));
                }
                Some(_) | None => {}
            }
        }
        Ok(())
    }
}
