//! `cost`: what models have cost, from the record that all runs of a person share.

use crate::assemble::money;
use crate::cli::{By, CostArgs};
use crate::environment::Environment;
use crate::exit::{Exit, Failure};
use crate::say;
use handsight_base::port::clock::{Clock as _, RealClock};
use handsight_store::spend::{Grouping, Ledger, Nanos, Sum, Tokens};
use serde_json::{Value, json};

pub(crate) fn run(environment: &Environment, args: &CostArgs) -> anyhow::Result<Exit> {
    let since = match &args.since {
        None => i64::MIN,
        Some(text) => since(text, RealClock::new().unix_millis()).ok_or_else(|| {
            let what = format!("--since {text}: that is no day and no length of time");
            Failure::usage(what, "Write a day (UTC) as 2026-11-21, or a time back from now as 24h, 7d.")
        })?,
    };
    let grouping = match args.by {
        By::Day => Grouping::Day,
        By::Model => Grouping::Model,
        By::Run => Grouping::Run,
    };
    let dir = environment.ledger_dir().filter(|dir| dir.join("spend.db").exists());
    let sums = match &dir {
        Some(dir) => Ledger::open(dir)?.0.sums(grouping, since)?,
        None => Vec::new(),
    };
    let whole = total(&sums);
    if args.json {
        let rows: Vec<Value> = sums.iter().map(|sum| row(sum, args.by)).collect();
        say::json(&json!({ "by": args.by.name(), "rows": rows, "total": figures(&whole) }));
        return Ok(Exit::Done);
    }
    if sums.is_empty() {
        say::note("no model call has been recorded");
        return Ok(Exit::Done);
    }
    table(&sums, &whole, args.by).iter().for_each(|line| say::result(line));
    remarks(&whole).iter().for_each(|line| say::note(line));
    Ok(Exit::Done)
}

fn total(sums: &[Sum]) -> Sum {
    let add = |f: fn(&Sum) -> u64| sums.iter().map(f).sum();
    let money = |f: fn(&Sum) -> Nanos| sums.iter().map(f).sum();
    Sum {
        key: "all".to_owned(),
        calls: add(|s| s.calls),
        tokens: Tokens {
            input: add(|s| s.tokens.input),
            output: add(|s| s.tokens.output),
            cached: add(|s| s.tokens.cached),
        },
        cost: money(|s| s.cost),
        assumed: money(|s| s.assumed),
        open: money(|s| s.open),
        unpriced: add(|s| s.unpriced),
    }
}

fn figures(sum: &Sum) -> Value {
    json!({
        "calls": sum.calls,
        "tokens": { "input": sum.tokens.input, "cached": sum.tokens.cached, "output": sum.tokens.output },
        "cost_usd": sum.cost.usd(),
        "assumed_usd": sum.assumed.usd(),
        "open_usd": sum.open.usd(),
        "unpriced_calls": sum.unpriced,
    })
}

fn row(sum: &Sum, by: By) -> Value {
    let mut fields = figures(sum);
    if let Some(fields) = fields.as_object_mut() {
        let key = if by == By::Run { money::run_of(&sum.key) } else { &sum.key };
        fields.shift_insert(0, by.name().to_owned(), json!(key));
    }
    fields
}

fn table(sums: &[Sum], whole: &Sum, by: By) -> Vec<String> {
    let key = |sum: &Sum| (if by == By::Run { money::run_of(&sum.key) } else { &sum.key }).to_owned();
    let mut rows = vec![[by.name(), "calls", "input", "cached", "output", "USD"].map(str::to_owned)];
    let sums = sums.iter().chain((sums.len() > 1).then_some(whole));
    rows.extend(sums.map(|sum| {
        let Tokens { input, cached, output } = sum.tokens;
        let cost = if sum.unpriced == sum.calls && sum.calls > 0 {
            "unknown".to_owned()
        } else {
            format!("{:.4}", sum.cost.usd())
        };
        [key(sum), sum.calls.to_string(), thousands(input), thousands(cached), thousands(output), cost]
    }));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 6] = std::array::from_fn(width);
    let line = |row: &[String; 6]| {
        let [key, numbers @ ..] = row;
        let mut line = format!("{key:<w$}", w = widths[0]);
        for (number, w) in numbers.iter().zip(&widths[1..]) {
            line.push_str(&format!("  {number:>w$}"));
        }
        line
    };
    rows.iter().map(line).collect()
}

/// What the sum does not say by itself.
fn remarks(whole: &Sum) -> Vec<String> {
    let mut lines = Vec::new();
    if whole.assumed > Nanos::default() {
        let usd = whole.assumed.usd();
        lines.push(format!(
            "{usd:.4} USD of it are assumed: nobody said what those calls used, so they count at their most"
        ));
    }
    if whole.open > Nanos::default() {
        lines.push(format!(
            "{:.4} USD of it are set aside for calls that are not answered yet",
            whole.open.usd()
        ));
    }
    if whole.unpriced > 0 {
        lines.push(format!("{} call(s) have no known price and count as nothing", whole.unpriced));
    }
    lines
}

fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The time that `--since` means: a day, or so many minutes, hours, days or weeks back.
fn since(text: &str, now_unix_millis: i64) -> Option<i64> {
    const UNITS: [(char, i64); 4] = [('m', 60), ('h', 3600), ('d', 86_400), ('w', 604_800)];
    if let Some((unit, seconds)) = UNITS.iter().find(|(unit, _)| text.ends_with(*unit)) {
        let number: i64 = text.strip_suffix(*unit)?.parse().ok().filter(|n| *n >= 0)?;
        return now_unix_millis.checked_sub(number.checked_mul(seconds * 1000)?);
    }
    let mut parts = text.splitn(3, '-');
    let mut number = |range: std::ops::RangeInclusive<i64>| {
        let part = parts.next()?;
        let digits = part.bytes().all(|b| b.is_ascii_digit());
        part.parse().ok().filter(|n| digits && range.contains(n))
    };
    let (year, month, day): (i64, i64, i64) = (number(1970..=9999)?, number(1..=12)?, number(1..=31)?);
    // Days from a March-based calendar, where a leap day is the last of its year.
    let (from_march, year) = ((month + 9) % 12, year - i64::from(month < 3));
    let day_of_year = (153 * from_march + 2) / 5 + day - 1;
    let days = year * 365 + year / 4 - year / 100 + year / 400 + day_of_year - 719_468;
    Some(days * 86_400_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn since_is_a_day_or_a_time_back() {
        let day = |n: i64| n * 86_400_000;
        for (text, wanted) in [
            ("1970-01-01", Some(0)),
            ("2000-03-01", Some(day(11_017))),
            ("2024-02-29", Some(day(19_782))),
            ("2026-11-21", Some(day(20_778))),
            ("24h", Some(day(20_999))),
            ("7d", Some(day(20_993))),
            ("90m", Some(day(21_000) - 5_400_000)),
            ("0w", Some(day(21_000))),
        ] {
            assert_eq!(since(text, day(21_000)), wanted, "{text}");
        }
        for bad in
            ["", "d", "-1d", "soon", "2026-13-01", "2026-11", "2026-11-21-1", "99999999999999d", "21.11.2026"]
        {
            assert_eq!(since(bad, 0), None, "{bad}");
        }
    }

    #[test]
    fn numbers_are_read_in_thousands() {
        let all = [0, 999, 1000, 1_234_567].map(thousands);
        assert_eq!(all, ["0", "999", "1,000", "1,234,567"]);
    }
}
