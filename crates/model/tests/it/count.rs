//! Tokens counted beforehand, against what four tokenizers and the vendors' rules make of the same.

use super::wires::{rules, speaker};
use super::*;
use handsight_base::stop::StopReason;
use handsight_model::count::{Counter, PictureRule, text};
use handsight_testkit::chat::{Api, Reply, Rules};

/// A text and the most tokens that one of four tokenizers makes of it: o200k, cl100k, that of Claude 2 (anthropic 0.30.1) and that
/// of Mistral v3 (mistral-common 1.5.0). Measured in November 2026 with the tokenizers themselves.
const TEXTS: &[(&str, u64, &str)] = &[
    (
        "english",
        48,
        "The dialog has gone and the file list shows the new name, so the rename has worked. Next I open the settings menu, look for the option that hides finished tasks, and check afterwards that the list is shorter than before.",
    ),
    (
        "call",
        41,
        r#"{"x": 512, "y": 377, "reason": "press Save; 3 of 5 fields are filled in, and I expect the dialog to close"}"#,
    ),
    (
        "schema",
        85,
        r#"{"type":"object","properties":{"x":{"type":"number","minimum":0,"maximum":1000},"y":{"type":"number","minimum":0,"maximum":1000},"reason":{"type":"string","description":"why, what is done so far and what you expect to see"}},"required":["x","y","reason"]}"#,
    ),
    (
        "german",
        82,
        "Das Dialogfenster ist geschlossen und die Dateiliste zeigt den neuen Namen, also hat die Umbenennung geklappt. Als Nächstes öffne ich das Einstellungsmenü und suche die Option, die erledigte Aufgaben ausblendet; danach prüfe ich die Länge.",
    ),
    (
        "french",
        61,
        "La fenêtre s'est fermée et la liste des fichiers affiche le nouveau nom; le renommage a donc réussi. J'ouvre ensuite le menu des paramètres et je cherche l'option qui masque les tâches terminées.",
    ),
    (
        "polish",
        82,
        "Okno dialogowe zostało zamknięte, a lista plików pokazuje nową nazwę, więc zmiana się powiodła. Następnie otwieram menu ustawień i szukam opcji ukrywającej zakończone zadania.",
    ),
    (
        "russian",
        95,
        "Диалоговое окно закрылось, и в списке файлов появилось новое имя, значит, переименование удалось. Теперь я открываю меню настроек и ищу параметр, который скрывает завершённые задачи.",
    ),
    (
        "greek",
        106,
        "Το παράθυρο διαλόγου έκλεισε και η λίστα αρχείων δείχνει το νέο όνομα, άρα η μετονομασία πέτυχε.",
    ),
    (
        "chinese",
        65,
        "对话框已经关闭,文件列表显示了新的名称,所以重命名成功了。接下来我打开设置菜单,寻找隐藏已完成任务的选项,然后检查列表是否变短。",
    ),
    (
        "japanese",
        77,
        "ダイアログが閉じて、ファイル一覧に新しい名前が表示されたので、名前の変更は成功しました。次に設定メニューを開き、完了したタスクを隠す項目を探します。",
    ),
    (
        "korean",
        90,
        "대화 상자가 닫히고 파일 목록에 새 이름이 표시되었으므로 이름 변경이 성공했습니다. 다음으로 설정 메뉴를 열고 완료된 작업을 숨기는 옵션을 찾습니다.",
    ),
    (
        "arabic",
        103,
        "أُغلقت نافذة الحوار وتعرض قائمة الملفات الاسم الجديد، لذا نجحت إعادة التسمية. بعد ذلك أفتح قائمة الإعدادات.",
    ),
    ("hindi", 93, "संवाद बॉक्स बंद हो गया है और फ़ाइल सूची नया नाम दिखाती है, इसलिए नाम बदलना सफल रहा।"),
    ("thai", 134, "กล่องโต้ตอบปิดแล้วและรายการไฟล์แสดงชื่อใหม่ ดังนั้นการเปลี่ยนชื่อจึงสำเร็จ"),
    ("emoji", 39, "😀😅🚀👩‍💻🏳️‍🌈✅❌🇩🇪👍🏽"),
    (
        "code",
        65,
        "fn main() {\n    let x: Vec<u32> = (0..10).map(|i| i * i).collect();\n    println!(\"{x:?}\");\n    if x.len() >= 3 { return Err(\"no\".into()); }\n}\n",
    ),
    (
        "paths",
        55,
        r"C:\Users\alice\AppData\Local\Temp\~DF3A91.tmp /home/alice/.config/app/settings.toml https://example.com/a/b?q=1&r=2#frag",
    ),
    ("capitals", 26, "WARNING: THE DISK IS FULL. PRESS OK TO CONTINUE OR CANCEL TO ABORT."),
    (
        "long words",
        23,
        "Donaudampfschifffahrtsgesellschaftskapitän incomprehensibilities internationalization",
    ),
];

#[test]
fn no_text_is_counted_below_the_dearest_of_four_tokenizers() {
    for (name, most, words) in TEXTS {
        let counted = text(words);
        assert!(counted >= *most, "{name}: {counted} of {most}");
        assert!(counted <= most * 3, "{name}: {counted} of {most}");
    }
    let english = text(TEXTS[0].2);
    assert!(english * 10 <= TEXTS[0].1 * 17, "{english}");
    assert_eq!(text(""), 2);
}

#[test]
fn pictures_are_counted_by_their_vendors_rules() {
    let hd = Size::new(1920, 1080);
    let of = |model: &str, provider: &str, size| {
        let providers = Providers::builtin().unwrap();
        providers.get(provider).unwrap().picture_rule(model).unwrap().tokens(size)
    };
    for (provider, model, size, tokens) in [
        // 1092 x 1092 pixels are about 1590 tokens, by the vendor's own table.
        ("anthropic", "claude-sonnet-4-5", Size::new(1092, 1092), 1590),
        ("anthropic", "claude-sonnet-4-5", hd, 1640),
        ("anthropic", "claude-opus-5", hd, 69 * 39),
        ("anthropic", "claude-opus-5", Size::new(4000, 3000), 4784),
        // By the vendor's guide: 1024 x 1024 is 765, 2048 x 4096 is 1105, and 1024 x 1024 patches are 1024.
        ("openai", "gpt-4o", Size::new(1024, 1024), 765),
        ("openai", "gpt-4o", Size::new(2048, 4096), 1105),
        ("openai", "gpt-4.1-mini", Size::new(1024, 1024), 1659),
        ("openai", "gpt-4.1-mini", hd, 2489),
        ("openai", "gpt-5.5", hd, 2448),
        ("gemini", "gemini-2.5-pro", Size::new(384, 384), 258),
        ("gemini", "gemini-2.5-pro", hd, 258 * 6),
        ("gemini", "gemini-3-pro", hd, 1120),
    ] {
        assert_eq!(of(model, provider, size), tokens, "{model} {size}");
    }
}

fn asked(pictures: usize, words: &str) -> ModelRequest {
    let mut request = turn(png(Size::new(2, 2), [1, 2, 3]));
    let picture = request.messages[0].parts.iter().find(|p| matches!(p, Part::Picture(_))).unwrap().clone();
    request.messages[0].parts = vec![picture; pictures];
    request.messages[0].parts.push(Part::Text(words.to_owned()));
    request
}

#[test]
fn the_dearest_that_words_ever_were_is_what_they_are_counted_at() {
    let counter = Counter::new(Some(PictureRule::Fixed { tokens: 800 }));
    let request = asked(3, &TEXTS[0].2.repeat(9));
    let (before, pictures) = (counter.count(&request), 3 * 804);
    let words = before - pictures;
    // Cheaper than thought, with a margin.
    counter.learn(&request, pictures + words * 6 / 10);
    let cheap = counter.count(&request);
    assert!(
        (pictures + words * 68 / 100..=pictures + words * 70 / 100).contains(&cheap),
        "{cheap} of {before}"
    );
    // Not for nothing, whatever a service says.
    let free = Counter::new(Some(PictureRule::Fixed { tokens: 800 }));
    free.learn(&request, 1);
    assert!(free.count(&request) >= words / 2);
    // And dearer: for good.
    counter.learn(&request, before * 3 / 2);
    let after = counter.count(&request);
    assert!(after >= before * 3 / 2 && after <= before * 2, "{after} of {before}");
    counter.learn(&request, 1);
    assert_eq!(counter.count(&request), after);
}

#[test]
fn where_no_rule_is_known_a_picture_is_as_dear_as_a_reply_says() {
    let counter = Counter::new(None);
    let (one, many) = (asked(1, "hello"), asked(5, "hello"));
    let words = counter.count(&asked(0, "hello"));
    counter.learn(&one, words / 2 + 1500);
    let each = (counter.count(&many) - counter.count(&one)) / 4;
    assert!((1500..1500 + words).contains(&each), "{each}");
    // Words alone are not counted below their own by what pictures taught.
    assert!(counter.count(&asked(0, "hello")) >= words);
    // The most that a picture ever was.
    counter.learn(&many, words / 2 + 5 * 100);
    assert_eq!((counter.count(&many) - counter.count(&one)) / 4, each);
}

#[test]
fn what_a_service_can_only_count_higher_is_low() {
    let counter = Counter::new(Some(PictureRule::Fixed { tokens: 800 }));
    let request = asked(4, TEXTS[0].2);
    assert!(counter.at_least(&request) < counter.count(&request) / 2 + 100);
    assert!(counter.at_least(&request) >= 1600);
}

/// A provider that counts, over an API that can.
fn counting(server: &Server, api: Api) -> Remote {
    let text = format!("about = \"a\"\nwire = \"{}\"\ndialect = \"tools\"\ncounts = true\n", api.wire());
    let mut providers = Providers::builtin().unwrap();
    providers.add("own.toml", &text).unwrap();
    Remote::new(Setup {
        provider: providers.get("own").unwrap(),
        model: "test-model",
        base_url: Some(&server.base_url()),
        key: None,
        deadlines: Deadlines::default(),
        proxy: None,
        clock: Arc::new(RealClock::new()),
    })
    .unwrap()
}

#[tokio::test]
async fn a_service_that_counts_is_asked_with_the_request_itself() {
    let stop = Stop::new();
    for api in [Api::Messages, Api::Gemini] {
        let server = Server::scripted_with(Rules { api, counts: Some(4321), ..Rules::default() }, []);
        let model = counting(&server, api);
        for request in [small(), asked(3, "Añ€😀"), ModelRequest { tools: Vec::new(), ..asked(0, "hello") }]
        {
            assert_eq!(model.count(&request, &stop).await, Some(4321), "{api:?}");
        }
        assert_eq!((server.counted(), server.requests().len()), (3, 0), "{api:?}");
    }
}

#[tokio::test]
async fn a_service_that_cannot_count_after_all_is_asked_once_and_the_run_goes_on() {
    let stop = Stop::new();
    for api in [Api::Messages, Api::Gemini] {
        let server = Server::scripted_with(Rules { api, ..Rules::default() }, [Reply::Text("hello".into())]);
        let model = counting(&server, api);
        assert_eq!(model.count(&small(), &stop).await, None);
        assert_eq!(model.count(&small(), &stop).await, None);
        assert_eq!(server.counted(), 1, "{api:?}");
        assert_eq!(model.ask(&small(), &stop).await.unwrap().text, "hello");
    }
    // Nobody is asked who was not said to count.
    let server = Server::scripted_with(rules(Api::Messages), []);
    let model = speaker(&server, Api::Messages, false, "test-model", Deadlines::default());
    assert_eq!((model.count(&small(), &stop).await, server.counted()), (None, 0));
    // A stop ends the asking.
    let server = Server::scripted_with(Rules { api: Api::Messages, counts: Some(1), ..Rules::default() }, []);
    stop.set(StopReason::Person);
    assert_eq!((counting(&server, Api::Messages).count(&small(), &stop).await, server.counted()), (None, 0));
}

#[test]
fn counting_needs_a_wire_that_can() {
    let text = "about = \"a\"\nwire = \"chat\"\ndialect = \"tools\"\ncounts = true\n";
    let error = Providers::builtin().unwrap().add("own.toml", text).unwrap_err().to_string();
    assert_eq!(error, "own.toml, line 4: the wire \"chat\" has no call that counts tokens");
}
