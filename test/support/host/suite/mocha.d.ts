// The file that mocha's own entry passes on. Node 22 and Node 24 see that entry differently under require(); this file they see alike.
declare module 'mocha/lib/mocha.cjs' {
  import Mocha from 'mocha';
  export = Mocha;
}
