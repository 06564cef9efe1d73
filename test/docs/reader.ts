import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { Client } from '../hosts.js';
import { formOf } from '../hosts/form.js';
import { ROOT } from './documents.js';

/** The last value of each field in a response. */
type Answered = Readonly<Record<string, string>>;

const END = 'the-end-of-this-command';

/**
 * Follows a document: types its commands into one shell, writes its files, signs in as alice, and replaces the words in capitals by
 * values of earlier responses.
 */
export class Reader {
  readonly #port: number;
  readonly #secondPort: number;
  readonly #demo: string | undefined;
  readonly #folder: string;
  readonly #servers: ChildProcess[] = [];
  readonly #shell: ChildProcess;
  #answered: Answered = {};
  /** The last address that was to be opened in a browser. */
  #address = '';
  readonly #browser: Client;

  /**
   * @param ports - Free: taken wherever the document says 3000, and 3001.
   * @param dist - The folder of the built package.
   * @param demo - What to run instead of `npm start`, which compiles the same program each time.
   */
  constructor([port, secondPort]: readonly [number, number], dist: string, demo?: string) {
    this.#port = port;
    this.#secondPort = secondPort;
    this.#demo = demo;
    mkdirSync(join(ROOT, '.data'), { recursive: true });
    this.#folder = mkdtempSync(join(ROOT, '.data', 'reader-'));
    // The parts of a checkout that documents mention.
    for (const name of ['package.json', 'examples', 'tsconfig.json', 'src']) {
      symlinkSync(join(ROOT, name), join(this.#folder, name));
    }
    symlinkSync(dist, join(this.#folder, 'dist'));
    this.#browser = new Client(`http://127.0.0.1:${port}`);
    this.#shell = this.#start(['-s']);
  }

  #start(args: readonly string[]): ChildProcess {
    const child = spawn('bash', args, {
      cwd: this.#folder,
      detached: true,
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        PORT: String(this.#port),
        STORE: 'memory',
        NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    child.stdout?.setEncoding('utf8');
    child.stderr?.setEncoding('utf8').resume();
    return child;
  }

  #here(text: string): string {
    // The program is not installed here, and not every version of node runs TypeScript: `write` compiles it.
    return text
      .replace(/\b3000\b/g, String(this.#port))
      .replace(/\b3001\b/g, String(this.#secondPort))
      .replaceAll('npx oauth-query ', 'node dist/cli/main.js ')
      .replace(/^npm start$/gm, this.#demo === undefined ? '$&' : `node ${this.#demo}`)
      .replace(/^(node \S+)\.ts\b/gm, '$1.js');
  }

  #asPrinted(text: string): string {
    return text.replaceAll(String(this.#port), '3000').replaceAll(String(this.#secondPort), '3001');
  }

  write(file: string, code: string): void {
    const path = join(this.#folder, file);
    writeFileSync(path, this.#here(code));
    if (file.endsWith('.ts'))
      writeFileSync(path.replace(/\.ts$/, '.js'), transformSync(this.#here(code), { loader: 'ts' }).code);
  }

  /** Types a command, and returns its output. */
  async run(command: string): Promise<string> {
    if (/\bnpm (?:ci|i|install)\b/.test(command)) throw new Error(`${command}\nwould change what is installed here.`);
    const filled = await this.#fill(this.#here(command));
    const ended = new RegExp(`^([^]*)\\n${END} (\\d+)\\n`);
    const typed = printedBy(this.#shell, (printed) => ended.test(printed));
    this.#shell.stdin?.write(`${filled}\nstatus=$?; echo; echo ${END} $status\n`);
    const [, printed = '', status] = ended.exec(await typed) ?? [];
    if (status !== '0') throw new Error(`${filled}\nended with ${status}: ${printed}`);
    this.#remember(printed);
    return this.#asPrinted(printed);
  }

  /** Starts a server, and waits for its output. @param besides - Those that run go on. */
  async serve(command: string, isReady: (printed: string) => boolean, besides = false): Promise<string> {
    if (!besides) await this.stopServers();
    // The packages are installed, or this test would not run.
    const server = this.#start(['-c', this.#here(command).replace(/^npm ci && /, '')]);
    this.#servers.push(server);
    return this.#asPrinted(await printedBy(server, (printed) => isReady(this.#asPrinted(printed))));
  }

  #remember(printed: string): void {
    this.#address = /^http:\S+\/oauth\/authorize\?\S+$/m.exec(printed)?.[0] ?? this.#address;
    for (const [, name = '', value = ''] of printed.matchAll(/"(\w+)": ?"([^"]*)"/g)) {
      this.#answered = { ...this.#answered, [name]: value };
    }
  }

  /** The words in capitals that stand for a value. */
  async #fill(command: string): Promise<string> {
    let filled = command;
    const put = async (word: string, value: () => string | Promise<string>): Promise<void> => {
      const place = new RegExp(`(?<=[= ])${word}(?=['"\\s]|$)`, 'g');
      if (place.test(filled)) filled = filled.replace(place, await value());
    };
    const answered = (name: string) => () => {
      const value = this.#answered[name];
      if (value === undefined) throw new Error(`${command}\nneeds a ${name}, but no answer before it had one.`);
      return value;
    };
    await put('ACCESS_TOKEN', answered('access_token'));
    await put('REFRESH_TOKEN', answered('refresh_token'));
    await put('CODE', () => this.#allow(this.#address));
    await put('DEVICE_CODE', async () => {
      await this.#allowDevice(answered('verification_uri')(), answered('user_code')());
      return answered('device_code')();
    });
    return filled;
  }

  /** Signs in as alice where a page asks for that. */
  async #signedIn(address: string): Promise<string> {
    const page = await this.#browser.get(address);
    const location = page.headers.location;
    if (location !== undefined) return this.#signedIn(new URL(location, address).href);
    if (!page.text.includes('type="password"')) return page.text;
    const login = formOf(page.text, 'password');
    const form = { ...login.fields, username: 'alice', password: 'wonderland' };
    const { headers } = await this.#browser.post(login.action || address, form);
    return this.#signedIn(new URL(String(headers.location), address).href);
  }

  /** Allows what a page asks for, and returns where the browser is sent. */
  async #allowed(address: string): Promise<string> {
    const consent = formOf(await this.#signedIn(address), 'decision');
    const decided = await this.#browser.post(consent.action, { ...consent.fields, decision: 'approve' });
    return String(decided.headers.location);
  }

  async #allow(address: string): Promise<string> {
    return new URL(await this.#allowed(address)).searchParams.get('code') ?? '';
  }

  /** Opens an address in the browser, signs in, allows what is asked for, and returns what the application shows then. */
  async browse(address: string): Promise<string> {
    return this.#signedIn(await this.#allowed(this.#here(address)));
  }

  async #allowDevice(address: string, user_code: string): Promise<void> {
    const typed = formOf(await this.#signedIn(address), 'user_code');
    const page = await this.#browser.post(typed.action, { ...typed.fields, user_code });
    const consent = formOf(page.text, 'decision');
    await this.#browser.post(consent.action, { ...consent.fields, decision: 'approve' });
  }

  async stopServers(): Promise<void> {
    for (const server of this.#servers.splice(0)) await end(server);
  }

  async close(): Promise<void> {
    await this.stopServers();
    await end(this.#shell);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The output of a program from now on until it is enough; rejects with the output if the program ends or hangs before. */
const printedBy = (child: ChildProcess, isEnough: (printed: string) => boolean): Promise<string> =>
  new Promise((resolve, reject) => {
    let printed = '';
    let complained = '';
    const fail = (why: string) => (): void =>
      finish(() => reject(new Error(`${why}. It had printed:\n${printed}\nand complained:\n${complained}`)));
    const ended = fail('The program ended');
    const deadline = setTimeout(fail('The program did not print what it should'), 60_000);
    const listen = (chunk: string): void => {
      printed += chunk;
      if (isEnough(printed)) finish(() => resolve(printed));
    };
    const hear = (chunk: string): void => {
      complained += chunk;
    };
    const finish = (settle: () => void): void => {
      clearTimeout(deadline);
      child.off('close', ended);
      child.stdout?.off('data', listen);
      child.stderr?.off('data', hear);
      settle();
    };
    child.on('close', ended);
    child.stdout?.on('data', listen);
    child.stderr?.on('data', hear);
  });

/** Ends a shell with all programs that it has started. */
const end = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const closed = once(child, 'close');
  process.kill(-child.pid, 'SIGTERM');
  await closed;
};
