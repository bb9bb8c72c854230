// A session as a program uses it: look at the page, act on it, read it.
import { type JsonValue, toJson } from '@bufbuild/protobuf';
import { ValueSchema } from '@bufbuild/protobuf/wkt';
import { ScriptError, PerceptionError } from './errors.js';
import { type ActionResult, Modifier, MouseButton } from './generated/perception/v1/action_service_pb.js';
import type { ExtractContentResponse, Interactable } from './generated/perception/v1/extraction_service_pb.js';
import {
  type ElementMatch,
  type ExplainElementResponse,
  ImageFormat,
} from './generated/perception/v1/perception_service_pb.js';
import type { Snapshot } from './generated/perception/v1/types_pb.js';
import { Session } from './session.js';
import {
  duration,
  type LookOptions,
  lookOptions,
  type Name,
  named,
  type TabOptions,
  target,
  type TargetLike,
} from './values.js';

/** Options of every action. */
export interface ActOptions extends TabOptions {
  /** How long the page may take to come to rest before the diff is taken; half a second when absent. */
  settleTimeoutMs?: number;
  /** Leaves out the diff. */
  skipDiff?: boolean;
  /** A repeated call with the same id acts once. */
  requestId?: string;
}

export interface ClickOptions extends ActOptions {
  button?: Name<typeof MouseButton>;
  clickCount?: number;
  modifiers?: Name<typeof Modifier>[];
}

export interface TypeOptions extends ActOptions {
  /** Replaces the existing content. */
  clear?: boolean;
  /** Presses Enter afterwards. */
  submit?: boolean;
  /** Key events for line ends and tabs, too, and for all of a long text. */
  keystrokes?: boolean;
}

/** One of them. */
export type Condition =
  { element: TargetLike } | { vanished: TargetLike } | { text: string } | { url: string } | { settled: true };

export interface FindOptions extends LookOptions {
  role?: string;
  name?: string;
  text?: string;
  at?: { x: number; y: number };
  limit?: number;
}

/** A session and its pages. `close` ends it; so does the end of a block with `await using`. */
export class Page extends Session {
  /** Captures what is on the page. With `since`, an earlier snapshot or its id, also `diff`: what changed since then. */
  async snapshot(options: LookOptions & { since?: string | Snapshot } = {}): Promise<Snapshot> {
    const { since = '' } = options;
    const request = { ...this.look(options), sinceSnapshotId: typeof since === 'string' ? since : since.snapshotId };
    return (await this.rpc.perception.captureSnapshot(request, options)).snapshot!;
  }

  /** What did not fit into a snapshot; go on while `nextCursor` is set. */
  async nextPage(snapshot: Snapshot, options: TabOptions = {}): Promise<Snapshot> {
    if (!snapshot.nextCursor) throw PerceptionError.badInput(`snapshot ${snapshot.snapshotId} has no further page`);
    const request = { ...this.tab(options), cursor: snapshot.nextCursor };
    return (await this.rpc.perception.captureSnapshot(request, options)).snapshot!;
  }

  /** A snapshot, then one with a `diff` for each change, until the loop is left, the signal aborts, or the tab is closed. */
  async *watch(options: LookOptions & { minIntervalMs?: number } = {}): AsyncGenerator<Snapshot, void, undefined> {
    const minInterval = duration(options.minIntervalMs, 'minIntervalMs');
    const request = { ...this.look(options), ...(minInterval ? { minInterval } : {}) };
    for await (const { snapshot } of this.rpc.perception.watchSnapshots(request, options)) yield snapshot!;
  }

  /** An image file: a PNG, or a JPEG of that quality; `annotated` with the boxes and refs of a snapshot. */
  async screenshot(
    options: LookOptions & { fullPage?: boolean; jpegQuality?: number; annotated?: boolean } = {},
  ): Promise<Uint8Array> {
    const { fullPage = false, jpegQuality = 0, annotated = false, revealSensitive = false } = options;
    const request = {
      ...this.tab(options),
      format: jpegQuality ? ImageFormat.JPEG : ImageFormat.PNG,
      quality: jpegQuality,
      annotated,
      fullPage,
      revealSensitive,
      ...(annotated ? { options: lookOptions(options) } : {}),
    };
    return (await this.rpc.perception.captureScreenshot(request, options)).image!.data;
  }

  /** Elements that fit a description, best first: `page.find('the Save button next to Title')`. */
  async find(query: string, options: FindOptions = {}): Promise<ElementMatch[]> {
    const { role = '', name = '', text = '', limit = 0, at } = options;
    const request = { ...this.look(options), query, role, name, text, limit, ...(at ? { at } : {}) };
    return (await this.rpc.perception.findElements(request, options)).matches;
  }

  /** Why an element is listed as it is, or not at all: of a target, or of `{ words }` on the page. */
  async explain(what: TargetLike | { words: string }, options: LookOptions = {}): Promise<ExplainElementResponse> {
    const subject = typeof what === 'object' && 'words' in what ? { text: what.words } : { target: target(what) };
    return this.rpc.perception.explainElement({ ...this.look(options), ...subject }, options);
  }

  /** What can be acted on, each with a selector that survives a reload. */
  async interactables(
    options: TabOptions & { scope?: string; hidden?: boolean; roles?: string[] } = {},
  ): Promise<Interactable[]> {
    const { scope = '', hidden = false, roles = [] } = options;
    const found: Interactable[] = [];
    let pageToken = '';
    do {
      const request = { ...this.tab(options), scopeSelector: scope, includeHidden: hidden, roles, pageToken };
      const reply = await this.rpc.extraction.extractInteractables(request, options);
      found.push(...reply.interactables);
      pageToken = reply.nextPageToken;
    } while (pageToken);
    return found;
  }

  /** What a person reads, as markdown. */
  async content(
    options: TabOptions & {
      scope?: string;
      main?: boolean;
      formValues?: boolean;
      maxTokens?: number;
      cursor?: string;
    } = {},
  ): Promise<ExtractContentResponse> {
    const { scope = '', main = false, formValues = false, maxTokens = 0, cursor = '' } = options;
    const request = {
      ...this.tab(options),
      scopeSelector: scope,
      mainContent: main,
      includeFormValues: formValues,
      maxTokens,
      cursor,
    };
    return this.rpc.extraction.extractContent(request, options);
  }

  /** Clicks. */
  async click(at: TargetLike, options: ClickOptions & { checked?: boolean } = {}): Promise<ActionResult> {
    const { clickCount = 0, modifiers = [], checked } = options;
    const request = {
      ...this.action(options),
      target: target(at),
      button: named(MouseButton, options.button, 'button'),
      clickCount,
      modifiers: modifiers.map((each) => named(Modifier, each, 'modifiers')),
      ...(checked === undefined ? {} : { checked }),
    };
    return (await this.rpc.actions.click(request, options)).result!;
  }

  /** Makes a checkbox, radio button or switch checked, or not. */
  check(at: TargetLike, checked = true, options: ActOptions = {}): Promise<ActionResult> {
    return this.click(at, { ...options, checked });
  }

  /** Moves the pointer over the target. */
  async hover(at: TargetLike, options: ActOptions = {}): Promise<ActionResult> {
    return (await this.rpc.actions.hover({ ...this.action(options), target: target(at) }, options)).result!;
  }

  /** Drags from one target to another. */
  async drag(from: TargetLike, to: TargetLike, options: ActOptions = {}): Promise<ActionResult> {
    const request = { ...this.action(options), from: target(from, 'from'), to: target(to, 'to') };
    return (await this.rpc.actions.drag(request, options)).result!;
  }

  /** Types into a field, or where the focus is when the target is null; `{ secret: 'bank' }` names a secret of the service. */
  async type(
    into: TargetLike | null,
    text: string | { secret: string },
    options: TypeOptions = {},
  ): Promise<ActionResult> {
    const { clear = false, submit = false, keystrokes = false } = options;
    const typed = typeof text === 'string' ? { text } : { secret: text.secret };
    const request = { ...this.action(options), ...this.optional(into), ...typed, clear, submit, keystrokes };
    return (await this.rpc.actions.typeText(request, options)).result!;
  }

  /** Presses a key, such as `Enter` or `Control+a`, on a target or where the focus is. */
  async press(key: string, on: TargetLike | null = null, options: ActOptions = {}): Promise<ActionResult> {
    return (await this.rpc.actions.pressKey({ ...this.action(options), ...this.optional(on), key }, options)).result!;
  }

  /** Selects options of a list by label or value. */
  async select(list: TargetLike, choices: string | string[], options: ActOptions = {}): Promise<ActionResult> {
    const request = { ...this.action(options), target: target(list), options: [choices].flat() };
    return (await this.rpc.actions.selectOption(request, options)).result!;
  }

  /** Turns the wheel by CSS px, or brings the target into view where there is no delta. */
  async scroll(
    by: { deltaX?: number; deltaY?: number; target?: TargetLike },
    options: ActOptions = {},
  ): Promise<ActionResult> {
    const { deltaX = 0, deltaY = 0 } = by;
    const request = { ...this.action(options), ...this.optional(by.target ?? null), deltaX, deltaY };
    return (await this.rpc.actions.scroll(request, options)).result!;
  }

  /** Gives files to a file field: names in the service's upload directory, or contents by name. */
  async upload(
    field: TargetLike,
    files: { paths?: string[]; contents?: Record<string, Uint8Array> },
    options: ActOptions = {},
  ): Promise<ActionResult> {
    const contents = Object.entries(files.contents ?? {}).map(([name, content]) => ({ name, content }));
    const request = { ...this.action(options), target: target(field), paths: files.paths ?? [], files: contents };
    return (await this.rpc.actions.uploadFiles(request, options)).result!;
  }

  /** Waits for one condition, until the call's deadline. */
  async waitFor(condition: Condition, options: ActOptions = {}): Promise<ActionResult> {
    const [[name, value] = []] = Object.entries(condition);
    const awaited =
      name === 'element' || name === 'vanished'
        ? { case: name, value: target(value as TargetLike, name) }
        : { case: name, value };
    const { requestId: _, ...rest } = this.action(options);
    return (await this.rpc.actions.waitFor({ ...rest, condition: awaited as never }, options)).result!;
  }

  /** Runs a script, in a session with `allowEvaluate`, and returns its value. Throws ScriptError where the script does. */
  async evaluate(
    expression: string,
    on: TargetLike | null = null,
    options: TabOptions & { requestId?: string } = {},
  ): Promise<JsonValue> {
    const request = {
      ...this.tab(options),
      ...this.optional(on),
      expression,
      awaitPromise: true,
      requestId: options.requestId ?? '',
    };
    const reply = await this.rpc.actions.evaluate(request, options);
    if (reply.exception) throw new ScriptError(reply.exception, reply.exceptionStack);
    return reply.value ? toJson(ValueSchema, reply.value) : null;
  }

  private look(options: LookOptions) {
    return { ...this.tab(options), options: lookOptions(options) };
  }

  private action(options: ActOptions) {
    const { requestId = '', skipDiff = false } = options;
    const settleTimeout = duration(options.settleTimeoutMs, 'settleTimeoutMs');
    return {
      ...this.tab(options),
      requestId,
      actionOptions: { skipDiff, ...(settleTimeout ? { settleTimeout } : {}) },
    };
  }

  private optional(of: TargetLike | null) {
    return of === null ? {} : { target: target(of) };
  }
}
