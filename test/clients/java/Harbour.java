import io.sentry.Sentry;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.interceptor.ExposeInvocationInterceptor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.support.StaticListableBeanFactory;

/** Sends errors that Spring throws deep inside a call that Spring makes. Needs the DSN in SHIP_DSN. */
final class Harbour {
  private static final BeanFactory FACTORY =
      (BeanFactory) intercepted(new StaticListableBeanFactory());

  /** Each interceptor adds two frames of Spring. */
  private static Object intercepted(Object target) {
    ProxyFactory factory = new ProxyFactory(target);
    for (int count = 0; count < 28; count += 1) factory.addAdvice(ExposeInvocationInterceptor.INSTANCE);
    return factory.getProxy();
  }

  private static void find(String name) {
    FACTORY.getBean(name);
  }

  private static void load(String name) {
    find(name);
  }

  private static void unload(String name) {
    find(name);
  }

  private static void call(Runnable action) {
    try {
      ((Runnable) intercepted(action)).run();
    } catch (NoSuchBeanDefinitionException error) {
      Sentry.captureException(error);
    }
  }

  public static void main(String[] arguments) {
    Sentry.init(options -> options.setDsn(System.getenv("SHIP_DSN")));
    for (String name : new String[] {"crane7", "crane8"}) {
      call(() -> load(name));
      call(() -> unload(name));
    }
    Sentry.close();
  }
}
