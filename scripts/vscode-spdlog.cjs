// A replacement for the native module @vscode/spdlog, with which VS Code writes its log files. `scripts/vscode-host.ts` installs VS Code
// without running install scripts, so the native module is never compiled; without it VS Code drops every line of every log, output
// channels of extensions included. This file has the members that VS Code uses and is copied over the entry file of that package.
'use strict';
const fs = require('node:fs');
const path = require('node:path');

const LEVELS = ['trace', 'debug', 'info', 'warning', 'error', 'critical'];
const OFF = LEVELS.length;

class Logger {
  /** @param {string} _type @param {string} name @param {string} file @param {number} maxBytes @param {number} maxFiles */
  constructor(_type, name, file, maxBytes, maxFiles) {
    this.name = name;
    this.file = file;
    this.maxBytes = maxBytes;
    this.maxFiles = maxFiles;
    this.level = LEVELS.indexOf('info');
    this.hasPattern = true;
    fs.mkdirSync(path.dirname(file), { recursive: true });
    this.open();
  }

  trace(message) {
    this.write(0, message);
  }
  debug(message) {
    this.write(1, message);
  }
  info(message) {
    this.write(2, message);
  }
  warn(message) {
    this.write(3, message);
  }
  error(message) {
    this.write(4, message);
  }
  critical(message) {
    this.write(5, message);
  }
  getLevel() {
    return this.level;
  }
  setLevel(level) {
    this.level = level;
  }
  /** VS Code sets one pattern only, `%Y-%m-%d %H:%M:%S.%e [%l] %v`, which `write` follows. */
  setPattern() {
    this.hasPattern = true;
  }
  /** Lines are written as they are, without time, level and line end. */
  clearFormatters() {
    this.hasPattern = false;
  }
  flush() {
    // Every line is written at once.
  }
  drop() {
    if (this.descriptor !== undefined) fs.closeSync(this.descriptor);
    this.descriptor = undefined;
  }

  open() {
    this.descriptor = fs.openSync(this.file, 'a');
    this.size = fs.fstatSync(this.descriptor).size;
  }

  write(level, message) {
    if (this.descriptor === undefined || level < this.level || this.level === OFF) return;
    const line = this.hasPattern ? `${timestamp(new Date())} [${LEVELS[level]}] ${message}\n` : message;
    const bytes = Buffer.from(line);
    if (this.size > 0 && this.size + bytes.length > this.maxBytes) this.rotate();
    fs.writeSync(this.descriptor, bytes);
    this.size += bytes.length;
  }

  /** `x.log` becomes `x.1.log`, `x.1.log` becomes `x.2.log`; the oldest file is removed. */
  rotate() {
    this.drop();
    const { dir, name, ext } = path.parse(this.file);
    const numbered = (number) => (number === 0 ? this.file : path.join(dir, `${name}.${number}${ext}`));
    for (let number = this.maxFiles - 1; number >= 0; number--) {
      if (!fs.existsSync(numbered(number))) continue;
      if (number === this.maxFiles - 1) fs.rmSync(numbered(number));
      else fs.renameSync(numbered(number), numbered(number + 1));
    }
    this.open();
  }
}

/** Local time, as in `2030-01-31 09:05:00.123`. */
function timestamp(date) {
  const two = (number) => String(number).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const time = `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
  return `${day} ${time}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

async function createLogger(name, file, maxBytes, maxFiles) {
  return new Logger('rotating', name, file, maxBytes, maxFiles);
}

exports.version = 0;
exports.setLevel = () => {};
exports.setFlushOn = () => {};
exports.Logger = Logger;
exports.createRotatingLogger = createLogger;
exports.createAsyncRotatingLogger = createLogger;
