// A session apart from what its pages show: navigation, tabs, dialogs, downloads, its end.
import { PerceptionError } from './errors.js';
import {
  type NavigationResult,
  type Session as SessionState,
  WaitUntil,
} from './generated/perception/v1/session_service_pb.js';
import type { Dialog, Download, Tab } from './generated/perception/v1/types_pb.js';
import type { CallOptions } from './rpc.js';
import type { Services } from './services.js';
import { type Name, named, type TabOptions } from './values.js';

export interface NavigateOptions extends TabOptions {
  /** What to wait for; `settled` when absent: a load that never completes is not an error then. */
  waitUntil?: Name<typeof WaitUntil>;
}

export interface DialogOptions extends CallOptions {
  /** OK when true or absent, Cancel when false. */
  accept?: boolean;
  /** The text for a prompt. */
  promptText?: string;
  /** The only open dialog when absent. */
  dialogId?: string;
}

const ENDED = new Set<string>(['UNKNOWN_SESSION', 'SESSION_EXPIRED', 'SESSION_LOST']);

export class Session {
  /** @internal */
  constructor(
    protected readonly rpc: Services,
    /** The session's id in requests; `client.attach` takes it. */
    readonly sessionId: string,
  ) {}

  /** Opens a URL in a tab. */
  async navigate(url: string, options: NavigateOptions = {}): Promise<NavigationResult> {
    return (await this.rpc.sessions.navigate({ ...this.navigation(options), url }, options)).result!;
  }

  /** Goes back in the tab's history; NO_HISTORY at its beginning. */
  async back(options: NavigateOptions = {}): Promise<NavigationResult> {
    return (await this.rpc.sessions.goBack(this.navigation(options), options)).result!;
  }

  /** Goes forward in the tab's history; NO_HISTORY at its end. */
  async forward(options: NavigateOptions = {}): Promise<NavigationResult> {
    return (await this.rpc.sessions.goForward(this.navigation(options), options)).result!;
  }

  /** Loads the page again. */
  async reload(options: NavigateOptions & { ignoreCache?: boolean } = {}): Promise<NavigationResult> {
    const request = { ...this.navigation(options), ignoreCache: options.ignoreCache ?? false };
    return (await this.rpc.sessions.reload(request, options)).result!;
  }

  /** The session as the service sees it: tabs, dialogs, downloads, options, when it expires. */
  async state(options: CallOptions = {}): Promise<SessionState> {
    return (await this.rpc.sessions.getSession({ sessionId: this.sessionId }, options)).session!;
  }

  /** The session's downloads, oldest first; `path` is on the service's machine. */
  async downloads(options: CallOptions = {}): Promise<Download[]> {
    return (await this.state(options)).downloads;
  }

  /** The dialogs that are open; `handleDialog` answers one. */
  async dialogs(options: CallOptions = {}): Promise<Dialog[]> {
    return (await this.state(options)).dialogs;
  }

  /** Answers an open dialog. */
  async handleDialog(options: DialogOptions = {}): Promise<Dialog> {
    const { accept = true, promptText = '', dialogId = '' } = options;
    return (await this.rpc.sessions.handleDialog({ sessionId: this.sessionId, accept, promptText, dialogId }, options))
      .dialog!;
  }

  /** All tabs; calls without a `tabId` go to the selected one. */
  async tabs(options: CallOptions = {}): Promise<Tab[]> {
    return (await this.rpc.sessions.listTabs({ sessionId: this.sessionId }, options)).tabs;
  }

  /** Makes a tab the one that calls without a `tabId` go to. */
  async selectTab(tabId: string, options: CallOptions = {}): Promise<Tab> {
    return (await this.rpc.sessions.selectTab({ sessionId: this.sessionId, tabId }, options)).tab!;
  }

  /** Closes a tab, the selected one by default. Returns the tabs that are left. */
  async closeTab(tabId = '', options: CallOptions = {}): Promise<Tab[]> {
    return (await this.rpc.sessions.closeTab({ sessionId: this.sessionId, tabId }, options)).tabs;
  }

  /** Closes the session and its tabs. One that has ended is left as it is. */
  async close(options: CallOptions = {}): Promise<void> {
    try {
      await this.rpc.sessions.closeSession({ sessionId: this.sessionId }, options);
    } catch (error) {
      if (!(error instanceof PerceptionError && ENDED.has(error.reason))) throw error;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  protected tab(options: TabOptions): { sessionId: string; tabId: string } {
    return { sessionId: this.sessionId, tabId: options.tabId ?? '' };
  }

  private navigation(options: NavigateOptions) {
    return { ...this.tab(options), waitUntil: named(WaitUntil, options.waitUntil, 'waitUntil') };
  }
}
