import io.sentry.Sentry;
import io.sentry.SentryClient;
import io.sentry.SentryOptions;
import io.sentry.event.BreadcrumbBuilder;
import io.sentry.event.Event;
import io.sentry.event.EventBuilder;
import io.sentry.event.UserBuilder;
import io.sentry.event.interfaces.MessageInterface;
import java.util.List;

/** Sends errors and messages with io.sentry 1. Usage: FormerShip story|crash, with the DSN in SHIP_DSN. */
final class FormerShip {
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
    String options =
        "?async=false&release=ship@1.2.3&environment=harbour&stacktrace.app.packages=FormerShip&tags=deck:upper";
    SentryClient client = Sentry.init(SentryOptions.defaults(System.getenv("SHIP_DSN") + options));
    client.getContext().setUser(new UserBuilder().setId("7").setEmail("ann@example.com").build());
    client.getContext().recordBreadcrumb(
        new BreadcrumbBuilder().setMessage("lamp 7 switched on").setCategory("lamp").build());
    if (arguments[0].equals("crash")) sink();
    try {
      sail();
    } catch (IllegalStateException error) {
      Sentry.capture(error);
    }
    for (String number : List.of("7", "8")) {
      String text = "lamp " + number + " stays dark";
      MessageInterface message = new MessageInterface("lamp %s stays dark", List.of(number), text);
      Sentry.capture(new EventBuilder().withMessage(text).withLevel(Event.Level.INFO).withSentryInterface(message));
    }
    Sentry.close();
  }
}
