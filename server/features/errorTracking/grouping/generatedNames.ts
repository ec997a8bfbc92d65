import { isDigits, isHash, MAX_NAME_LENGTH } from './nameParts.ts';

/** Names that compilers, template engines and libraries make anew for each build or run. */

const plain = /^[A-Za-z_.]*$/;
const HAS_DIGIT = /\d/;

/** Returns the module without generated parts. The case is kept, because module names are case-sensitive in most languages. */
export function cleanModule(sent: string): string {
  const module = sent.length > MAX_NAME_LENGTH ? sent.slice(0, MAX_NAME_LENGTH) : sent;
  if (plain.test(module)) return module;
  const text = withoutGenerated(module.includes('@anonymous') ? module.replace(/@anonymous.*$/s, '@anonymous') : module);
  if (!HAS_DIGIT.test(text)) return text;
  return text.replace(/[A-Za-z0-9]+/g, (part) => (part.length > 3 && isDigits(part) ? '<n>' : isHash(part) ? '<hash>' : part));
}

/** Returns a name of a module, class or function without the parts that are generated, in any language. */
export function withoutGenerated(name: string): string {
  let text = name.includes('$') || name.includes('Accessor') || name.includes('__') ? withoutGeneratedOfJava(name) : name;
  if (!HAS_DIGIT.test(text)) return text;
  text = withoutGeneratedOfJavaNumbers(text);
  text = withoutGeneratedOfPhp(text);
  return withoutGeneratedOfCompilers(text);
}

/** Classes and methods that the Java platform, its compilers and libraries generate. */
function withoutGeneratedOfJava(name: string): string {
  let text = name;
  if (text.includes('$')) {
    text = text
      .replace(/\$\$Lambda.*$/, '$$$$Lambda')
      .replace(/^(lambda\$.{1,250})\$\d{1,9}$/, '$1')
      .replace(/\$\$(?:Enhancer|FastClass|KeyFactory|SpringCGLIB)\w{0,40}\$\$.*$/, '$$$$CGLIB')
      .replace(/_\$\$_(?:jvst|javassist).*$/, '_$$$$_javassist')
      .replace(/\$(HibernateProxy|MockitoMock|ByteBuddy)\$.*$/, '$$$1')
      .replace(/\$r8\$lambda\$.*$/, '$$r8$$lambda')
      .replace(/(?<=\$Proxy|\$\$ExternalSyntheticLambda|\baccess\$|\$_run_closure)\d{1,9}/, '')
      // Scala.
      .replace(/(\$anonfun(?:\$[A-Za-z_]\w{0,100})?)(?:\$\d{1,9})+$/, '$1');
  }
  if (text.includes('Accessor')) text = text.replace(/(?<=Generated\w{6,24}Accessor|ASMAccessorImpl_)\d{1,20}/, '');
  // Clojure.
  return text.includes('__') ? text.replace(/__\d{1,9}(?=$|\.)/g, '') : text;
}

/** Hidden classes, and classes of Groovy, Clojure, Spring's expressions, Spark and the proxies of Castle. */
function withoutGeneratedOfJavaNumbers(name: string): string {
  return name
    .replace(/[/:]0x[0-9a-f]{4,16}/g, '')
    .replace(/(?<=\bScript|\$eval|\bspel\.Ex)\d{1,9}(?=$|[.$])|(?<=\bscript)\d{10,20}/g, '')
    .replace(/(?<=ForCodegenStage|LambdaForm\$D?MH|[a-z]Proxy_)\d{1,9}/, '');
}

/** Classes that template engines and containers of PHP compile, and mocks. */
function withoutGeneratedOfPhp(name: string): string {
  return name
    .replace(/__TwigTemplate_[0-9a-f]{16,64}(?:___\d{1,20})?/, '__TwigTemplate')
    .replace(/\bcontent_[0-9a-f]{13,14}(?:[._]?\d{8})?(?:_\d{1,10})?$/, 'content')
    .replace(/\b(Template|Container)_?[0-9a-f]{10}\b/, '$1')
    .replace(/\bContainer(?=[A-Za-z]{0,6}[0-9])[A-Za-z0-9]{7}\\/, 'Container\\')
    .replace(/(?<=[a-z](?:Ghost|Proxy))[0-9a-f]{7}\b/, '')
    .replace(/(?<=[A-Za-z])_([0-9a-f]{7,64})\b/g, (whole, hash: string) => (isHash(hash) ? '' : whole));
}

/** Hashes and numbers of the compilers of Rust, Go, C#, F#, Visual Basic, C, C++ and Objective-C. */
function withoutGeneratedOfCompilers(name: string): string {
  return name
    .replace(/::h[0-9a-f]{16}$/, '')
    .replace(/\[[0-9a-f]{8,16}\]/g, '')
    .replace(/(?<=\.|^)(func|gowrap|deferwrap)\d{1,9}(?:[.-]\d{1,9})*/g, '$1')
    .replace(/(?<=(?:\.|^)init)\.\d{1,9}/, '')
    .replace(/(?<=-range)\d{1,9}/g, '')
    .replace(/_cgo_[0-9a-f]{12}_/, '_cgo_')
    .replace(/(?<=>[a-z])__(?=\d)\d{1,9}(?:_\d{1,9})?/g, '')
    .replace(/(?<=>[a-z]__\w{1,100})\|\d{1,9}_\d{1,9}/g, '')
    .replace(/(?<=\blambda)-\d{1,9}/g, '')
    .replace(/(?<=DisplayClass)\d{1,9}_\d{1,9}/g, '')
    .replace(/(?<=\blambda_method|Submission#|_Lambda\$__|VB\$StateMachine_)\d{1,9}(?:-\d{1,9})?/g, '')
    .replace(/\bApp_Web_(?:[\w.]{1,60}\.[0-9a-f]{8}\.)?[a-z0-9_-]{8}\b/, 'App_Web')
    .replace(/(?<=[\w>])@\d{1,9}(?:-\d{1,9})?(?=$|\.)/g, '')
    .replace(/(?<=DynamicProxies\.\w{1,100})_[0-9A-Fa-f]{64}/, '')
    .replace(/\.(?:isra|constprop|part|cold|llvm|lto_priv)(?:\.\d{1,20})*$/, '')
    .replace(/(?<=_block_invoke)_\d{1,9}/, '')
    .replace(/^__\d{1,9}(?=[-+]\[)/, '')
    .replace(/(?<=\b(?:closure|lambda\([^)]{0,100}\)) ?#)\d{1,9}/g, '');
}
