// The file that mocha's own entry re-exports. Node 22 and Node 24 resolve that entry differently under require(), but this file alike.
declare module 'mocha/lib/mocha.cjs' {
  import Mocha from 'mocha';
  export = Mocha;
}
