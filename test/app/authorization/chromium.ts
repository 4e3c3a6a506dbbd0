import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'
import type { Teardown } from '../support/open-test-database.ts'

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const found = [process.env.CHROMIUM_PATH ?? '', ...places].find(path => path !== '' && existsSync(path))

/** For a test's `skip`: false where there is a Chromium, else why there is nothing to test with. */
export const noChromium: string | false =
  found === undefined && 'no Chromium: install the package chromium, or set CHROMIUM_PATH'

/** A real browser, closed with the test. */
export async function startChromium(t: Teardown): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: found ?? '',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
  t.teardown(() => browser.close())
  return browser
}
