import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { contentQuery, memoryContent } from '../../src/content/index.js';
import { type QueryHost, startQuery } from '../query/fixture.js';
import { HOSTILE_HTML } from '../query/hostile-html.js';
import { describeEngine } from '../stores/engines/availability.js';
import { noChromium, openWindow, startChromium } from './chromium.js';

/** What becomes of HTML in the page of a reader: run in the browser. */
interface Shown {
  /** How often it ran a script. */
  readonly hits: number;
  /** What it left in the page that no text consists of. */
  readonly suspicious: readonly string[];
}

/** Shows the HTML, writes it down and shows that again, presses what can be pressed, and waits for pictures that fail. */
const SHOW = `async (html) => {
  let hits = 0;
  globalThis.hit = () => { hits += 1; };
  const suspicious = [];
  const failed = (image) => new Promise((resolve) => {
    image.addEventListener('error', resolve);
    image.src = 'data:image/png,broken';
  });
  for (let round = 0; round < 3; round += 1) {
    const box = document.createElement('div');
    document.body.replaceChildren(box);
    box.innerHTML = html;
    for (const element of box.querySelectorAll('*')) {
      if (element.namespaceURI !== 'http://www.w3.org/1999/xhtml') suspicious.push(element.localName);
      if (/^(script|style|link|meta|base|iframe|object|embed|form|input|button|textarea|select|template|video|audio)$/.test(element.localName)) suspicious.push(element.localName);
      for (const { name, value } of element.attributes) {
        if (/^on|^style$|^name$|^srcdoc$|action$|^target$/.test(name)) suspicious.push(name + '=' + value);
        if (name === 'class' && !/^language-/.test(value)) suspicious.push('class=' + value);
        if (name === 'id' && !/^h[1-6]$/.test(element.localName)) suspicious.push('id=' + value);
      }
      const address = element.localName === 'a' ? element.href : element.localName === 'img' ? element.src : '';
      // A relative address belongs to the page, which is about:blank here.
      if (/^(?!https?:|mailto:|about:)[a-z][a-z0-9+.-]*:/i.test(address)) suspicious.push(address);
    }
    // Form fields get the focus, and details are toggled, in a later task.
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const image = document.createElement('img');
    document.body.append(image);
    await failed(image);
    await Promise.all([...box.querySelectorAll('img')].map((one) => one.complete ? undefined : new Promise((resolve) => { one.onload = one.onerror = resolve; })));
    box.querySelector('#go')?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
    await new Promise((resolve) => setTimeout(resolve));
    html = box.innerHTML;
  }
  return { hits, suspicious };
}`;

describeEngine('the HTML of action=parse in a browser', noChromium, () => {
  let browser: Browser;
  let page: Page;
  const hosts: QueryHost[] = [];

  const source = memoryContent(HOSTILE_HTML.map((text, index) => ({ title: `Page ${index}`, text })));

  beforeAll(async () => {
    browser = await startChromium();
    ({ page } = await openWindow(browser));
    for (const trusted of [false, true]) {
      hosts.push(await startQuery(contentQuery(source, { render: ({ text }) => ({ html: text, trusted }) })));
    }
  });
  afterAll(async () => {
    for (const host of hosts) await host.close();
    await browser.close();
  });

  const show = async (host: QueryHost, index: number): Promise<Shown> => {
    const { json } = await host.get({ action: 'parse', page: `Page ${index}`, prop: 'text', formatversion: '2' });
    const html = json['parse']?.['text'];
    expect(typeof html).toBe('string');
    await page.goto('about:blank');
    return page.evaluate<Shown>(`(${SHOW})(${JSON.stringify(html)})`);
  };

  test('sanitised, it runs no script and keeps only text, also after the browser has serialised and parsed it again', async () => {
    const [sanitising] = hosts;
    const harmed: [string, Shown][] = [];
    for (const [index, html] of HOSTILE_HTML.entries()) {
      const shown = await show(sanitising!, index);
      if (shown.hits > 0 || shown.suspicious.length > 0) harmed.push([html, shown]);
    }
    expect(harmed).toEqual([]);
  });

  test('unsanitised, most of it is harmful and the page detects it', async () => {
    const [, trusting] = hosts;
    let noticed = 0;
    for (const index of HOSTILE_HTML.keys()) {
      const { hits, suspicious } = await show(trusting!, index);
      if (hits > 0 || suspicious.length > 0) noticed += 1;
    }
    expect(noticed).toBeGreaterThan(HOSTILE_HTML.length * 0.8);
  });
});
