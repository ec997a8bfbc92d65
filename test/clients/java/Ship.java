import io.sentry.Breadcrumb;
import io.sentry.Sentry;
import io.sentry.SentryEvent;
import io.sentry.SentryLevel;
import io.sentry.protocol.Message;
import io.sentry.protocol.User;
import java.util.List;

/** Sends errors, messages and a session. Usage: Ship story|crash, with the DSN in SHIP_DSN. */
final class Ship {
  static void steer() {
    throw new IllegalStateException("cannot steer", new ArithmeticException("no wind"));
  }

  static void sail() {
    steer();
  }

  static void sink() {
    throw new UnsupportedOperationException("the hull leaks");
  }

  public static void main(String[] arguments) {
    Sentry.init(
        options -> {
          options.setDsn(System.getenv("SHIP_DSN"));
          options.setRelease("ship@1.2.3");
          options.setEnvironment("harbour");
          options.addInAppInclude("Ship");
        });
    User user = new User();
    user.setId("7");
    user.setEmail("ann@example.com");
    Sentry.setUser(user);
    Sentry.setTag("deck", "upper");
    Breadcrumb lamp = new Breadcrumb("lamp 7 switched on");
    lamp.setCategory("lamp");
    Sentry.addBreadcrumb(lamp);
    Sentry.startSession();
    if (arguments[0].equals("crash")) sink();
    try {
      sail();
    } catch (IllegalStateException error) {
      Sentry.captureException(error);
    }
    for (String number : List.of("7", "8")) {
      Message message = new Message();
      message.setMessage("lamp %s stays dark");
      message.setFormatted("lamp " + number + " stays dark");
      message.setParams(List.of(number));
      SentryEvent event = new SentryEvent();
      event.setMessage(message);
      event.setLevel(SentryLevel.INFO);
      Sentry.captureEvent(event);
    }
    Sentry.endSession();
    Sentry.close();
  }
}
