//! Sends errors, messages and a session. Usage: ship story|crash, with the DSN in SHIP_DSN.

use std::error::Error;
use std::fmt;

use sentry::protocol::{Event, LogEntry};

#[derive(Debug)]
struct Calm;

impl fmt::Display for Calm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no wind")
    }
}

impl Error for Calm {}

#[derive(Debug)]
struct CannotSteer(Calm);

impl fmt::Display for CannotSteer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cannot steer")
    }
}

impl Error for CannotSteer {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

#[inline(never)]
fn steer() {
    sentry::capture_error(&CannotSteer(Calm));
}

#[inline(never)]
fn sail() {
    steer();
}

#[inline(never)]
fn sink() {
    panic!("the hull leaks");
}

fn main() {
    let mut options = sentry::ClientOptions::default();
    options.release = Some("ship@1.2.3".into());
    options.environment = Some("harbour".into());
    options.attach_stacktrace = true;
    let _guard = sentry::init((std::env::var("SHIP_DSN").unwrap(), options));
    sentry::configure_scope(|scope| {
        scope.set_user(Some(sentry::User {
            id: Some("7".into()),
            email: Some("ann@example.com".into()),
            ..Default::default()
        }));
        scope.set_tag("deck", "upper");
    });
    sentry::add_breadcrumb(sentry::Breadcrumb {
        category: Some("lamp".into()),
        message: Some("lamp 7 switched on".into()),
        ..Default::default()
    });
    sentry::start_session();
    if std::env::args().nth(1).as_deref() == Some("crash") {
        sink();
    }
    sail();
    for lamp in [7, 8] {
        sentry::capture_event(Event {
            logentry: Some(LogEntry {
                message: "lamp %s stays dark".into(),
                params: vec![lamp.into()],
            }),
            ..Default::default()
        });
    }
    sentry::end_session();
}
