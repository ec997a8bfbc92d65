import { DebugSession, InitializedEvent, OutputEvent, StoppedEvent, TerminatedEvent } from '@vscode/debugadapter';
import type { DebugProtocol } from '@vscode/debugprotocol';
import * as l10n from '@vscode/l10n';
import type { ErrorEvent, NamedValue, ShownFrame } from '../contract/errorDetail.ts';
import { frameText } from '../errorPanel/exportText.ts';
import { messageOf } from '../support/log.ts';
import { sectionsOf, type Step, stepsOf } from './steps.ts';
import { evaluate, type Value, valueOf } from './values.ts';

export interface Replayed {
  readonly title: string;
  readonly event: ErrorEvent;
  /** Returns the file of the workspace that a frame names and the line of its code; undefined if there is none, or several. */
  readonly fileOf: (frame: ShownFrame) => Promise<FileLine | undefined>;
}

export interface FileLine {
  /** Absolute path. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
}

const THREAD = 1;

/** Largest line number of reported code that is shown. The code is shown at its own line numbers, after empty lines. */
const MAX_LINE = 100_000;

/**
 * Debug adapter that replays an event: its frames are the call stack, its captured variables the variables. The debugger steps through
 * breadcrumbs and exceptions, forwards and backwards. Nothing runs and nothing can be changed.
 * https://microsoft.github.io/debug-adapter-protocol/specification
 */
export class ReplaySession extends DebugSession {
  readonly #replayed: Replayed;
  readonly #steps: readonly Step[];
  #at: number;
  /** Functions that return the variables of a `variablesReference`. References are valid until the next stop (Debug Adapter Protocol). */
  #values: (() => readonly Value[])[] = [];
  /** Code of frames without a file, by source reference. */
  readonly #sources: string[] = [];

  constructor(replayed: Replayed) {
    super();
    this.#replayed = replayed;
    this.#steps = stepsOf(replayed.event);
    this.#at = this.#steps.length - 1;
  }

  protected override initializeRequest(response: DebugProtocol.InitializeResponse): void {
    response.body = {
      supportsConfigurationDoneRequest: true,
      supportsEvaluateForHovers: true,
      supportsStepBack: true,
      supportsExceptionInfoRequest: true,
      supportsTerminateRequest: true,
      supportsRestartRequest: true,
    };
    this.sendResponse(response);
    this.sendEvent(new InitializedEvent());
  }

  protected override launchRequest(response: DebugProtocol.LaunchResponse): void {
    this.sendResponse(response);
  }

  protected override configurationDoneRequest(response: DebugProtocol.ConfigurationDoneResponse): void {
    this.sendResponse(response);
    this.#note(this.#replayed.title);
    this.#stopAt(this.#steps.length - 1);
  }

  protected override restartRequest(response: DebugProtocol.RestartResponse): void {
    this.sendResponse(response);
    this.#stopAt(this.#steps.length - 1);
  }

  protected override setBreakPointsRequest(
    response: DebugProtocol.SetBreakpointsResponse,
    { breakpoints = [] }: DebugProtocol.SetBreakpointsArguments,
  ): void {
    const message = l10n.t('An error is replayed. Breakpoints have no effect.');
    response.body = { breakpoints: breakpoints.map(() => ({ verified: false, message })) };
    this.sendResponse(response);
  }

  protected override threadsRequest(response: DebugProtocol.ThreadsResponse): void {
    response.body = { threads: [{ id: THREAD, name: this.#step().title }] };
    this.sendResponse(response);
  }

  protected override stackTraceRequest(
    response: DebugProtocol.StackTraceResponse,
    { startFrame = 0, levels = 0 }: DebugProtocol.StackTraceArguments,
  ): void {
    const step = this.#step();
    const shown = step.frames.slice(startFrame, levels === 0 ? undefined : startFrame + levels);
    const frames =
      step.frames.length === 0
        ? [{ id: 1, name: step.title, line: this.#at + 1, column: 1, source: this.#sourceOfSteps() }]
        : Promise.all(shown.map((frame, index) => this.#stackFrame(frame, startFrame + index)));
    Promise.resolve(frames).then(
      (stackFrames) => {
        response.body = { stackFrames, totalFrames: Math.max(1, step.frames.length) };
        this.sendResponse(response);
      },
      (error: unknown) => this.sendErrorResponse(response, { id: 2, format: messageOf(error) }),
    );
  }

  protected override scopesRequest(response: DebugProtocol.ScopesResponse, { frameId }: DebugProtocol.ScopesArguments): void {
    const step = this.#step();
    const frame = step.frames[frameId - 1];
    const local = frame === undefined ? step.values : frame.variables;
    const name = frame === undefined ? l10n.t('Breadcrumb') : l10n.t('Captured Variables');
    const scopes = [
      ...(local.length === 0 ? [] : [{ name, presentationHint: 'locals', values: local }]),
      ...sectionsOf(this.#replayed.event).map((section) => ({ ...section, presentationHint: 'event' })),
    ];
    response.body = {
      scopes: scopes.map(({ values, ...scope }) => ({
        ...scope,
        variablesReference: this.#referenceTo(() => values.map(valueOf)),
        namedVariables: values.length,
        expensive: scope.presentationHint !== 'locals',
      })),
    };
    this.sendResponse(response);
  }

  protected override variablesRequest(
    response: DebugProtocol.VariablesResponse,
    { variablesReference, filter, start = 0, count = 0 }: DebugProtocol.VariablesArguments,
  ): void {
    const values = this.#values[variablesReference - 1]?.() ?? [];
    const page = filter === undefined || count === 0 ? values : values.slice(start, start + count);
    response.body = { variables: page.map((value) => this.#variable(value)) };
    this.sendResponse(response);
  }

  protected override evaluateRequest(
    response: DebugProtocol.EvaluateResponse,
    { expression, frameId = 1 }: DebugProtocol.EvaluateArguments,
  ): void {
    const variables: readonly NamedValue[] = this.#step().frames[frameId - 1]?.variables ?? this.#step().values;
    const value = evaluate(expression, variables.map(valueOf));
    if (value === undefined) {
      const format = l10n.t('The event has no value for this. Only captured variables and their members can be shown.');
      this.sendErrorResponse(response, { id: 1, format });
      return;
    }
    const { value: result, ...shown } = this.#variable(value);
    response.body = { ...shown, result };
    this.sendResponse(response);
  }

  protected override exceptionInfoRequest(response: DebugProtocol.ExceptionInfoResponse): void {
    const { type, title } = this.#step();
    response.body = { exceptionId: type ?? title, description: title, breakMode: 'unhandled' };
    this.sendResponse(response);
  }

  protected override sourceRequest(
    response: DebugProtocol.SourceResponse,
    { sourceReference }: DebugProtocol.SourceArguments,
  ): void {
    response.body = { content: this.#sources[sourceReference - 1] ?? '' };
    this.sendResponse(response);
  }

  protected override continueRequest(response: DebugProtocol.ContinueResponse): void {
    this.sendResponse(response);
    this.#stopAt(this.#steps.length - 1);
  }

  protected override reverseContinueRequest(response: DebugProtocol.ReverseContinueResponse): void {
    this.sendResponse(response);
    this.#stopAt(0);
  }

  protected override nextRequest(response: DebugProtocol.NextResponse): void {
    this.sendResponse(response);
    this.#stopAt(this.#at + 1);
  }

  protected override stepInRequest(response: DebugProtocol.StepInResponse): void {
    this.sendResponse(response);
    this.#stopAt(this.#at + 1);
  }

  protected override stepOutRequest(response: DebugProtocol.StepOutResponse): void {
    this.sendResponse(response);
    this.#stopAt(this.#at + 1);
  }

  protected override stepBackRequest(response: DebugProtocol.StepBackResponse): void {
    this.sendResponse(response);
    this.#stopAt(this.#at - 1);
  }

  protected override pauseRequest(response: DebugProtocol.PauseResponse): void {
    this.sendResponse(response);
    this.#stopAt(this.#at);
  }

  protected override terminateRequest(response: DebugProtocol.TerminateResponse): void {
    this.sendResponse(response);
    this.sendEvent(new TerminatedEvent());
  }

  protected override disconnectRequest(response: DebugProtocol.DisconnectResponse): void {
    // The inherited method ends the process, which is the extension host.
    this.sendResponse(response);
  }

  #step(): Step {
    const step = this.#steps[this.#at];
    if (step === undefined) throw new Error('the replay is outside of its steps');
    return step;
  }

  /** Stops at a position; before the first and after the last one, at that one. */
  #stopAt(position: number): void {
    const last = this.#steps.length - 1;
    this.#at = Math.min(Math.max(0, position), last);
    this.#values = [];
    const step = this.#step();
    if (position < 0) this.#note(l10n.t('This is the first breadcrumb of the event.'));
    if (position > last) this.#note(l10n.t('This is where the program reported the error.'));
    const stopped: DebugProtocol.StoppedEvent['body'] = {
      ...{ reason: step.kind === 'exception' ? 'exception' : 'step', threadId: THREAD, allThreadsStopped: true },
      ...{ description: l10n.t('Replay: {0} of {1}', String(this.#at + 1), String(this.#steps.length)), text: step.title },
    };
    this.sendEvent(Object.assign(new StoppedEvent('step', THREAD), { body: stopped }));
  }

  #note(text: string): void {
    this.sendEvent(new OutputEvent(`${text}\n`, 'console'));
  }

  async #stackFrame(frame: ShownFrame, index: number): Promise<DebugProtocol.StackFrame> {
    const id = index + 1;
    const isLibrary = frame.inApp === false;
    const hint = isLibrary ? { presentationHint: 'subtle' as const } : {};
    const found = await this.#sourceOf(frame);
    if (found !== undefined) {
      const source = isLibrary ? { ...found.source, presentationHint: 'deemphasize' as const } : found.source;
      return { id, name: functionOf(frame), line: found.line, column: frame.column ?? 1, source, ...hint };
    }
    // VS Code shows the variables of frames with a source only.
    if (!isLibrary || index === 0)
      return { id, name: frameText(frame), line: id, column: 1, source: this.#sourceOfStack(), ...hint };
    return { id, name: functionOf(frame), line: frame.line ?? 0, column: frame.column ?? 0, ...hint };
  }

  async #sourceOf(frame: ShownFrame): Promise<{ source: DebugProtocol.Source; line: number } | undefined> {
    if (frame.line === null) return undefined;
    const file = await this.#replayed.fileOf(frame);
    const name = (frame.filename ?? frame.absPath ?? frame.module ?? '?').replace(/^.*[\\/]/, '');
    if (file !== undefined) return { source: { name, path: file.path }, line: file.line };
    const [first] = frame.code;
    if (first === undefined || first.line < 1 || first.line > MAX_LINE) return undefined;
    const content = '\n'.repeat(first.line - 1) + frame.code.map(({ text }) => text).join('\n');
    return { source: { ...this.#sourceWith(name, content), origin: l10n.t('code in the event') }, line: frame.line };
  }

  /** Returns a document with a line for each position. */
  #sourceOfSteps(): DebugProtocol.Source {
    return this.#sourceWith(l10n.t('Replay'), this.#steps.map(({ title }) => title.replace(/\s+/g, ' ')).join('\n'));
  }

  /** Returns a document with a line for each frame of the current position. */
  #sourceOfStack(): DebugProtocol.Source {
    return this.#sourceWith(l10n.t('Stack Trace'), this.#step().frames.map(frameText).join('\n'));
  }

  #sourceWith(name: string, content: string): DebugProtocol.Source {
    const known = this.#sources.indexOf(content);
    if (known === -1) this.#sources.push(content);
    return { name, sourceReference: known === -1 ? this.#sources.length : known + 1 };
  }

  #variable({ name, text, type, members }: Value): DebugProtocol.Variable {
    const isList = type === 'array';
    return {
      ...{ name, value: text, type },
      variablesReference: members.length === 0 ? 0 : this.#referenceTo(() => members),
      ...(members.length === 0 ? {} : isList ? { indexedVariables: members.length } : { namedVariables: members.length }),
      presentationHint: { attributes: ['readOnly'] },
    };
  }

  #referenceTo(values: () => readonly Value[]): number {
    this.#values.push(values);
    return this.#values.length;
  }
}

function functionOf(frame: ShownFrame): string {
  return frame.function ?? frame.module ?? '?';
}
