import type { Page } from 'playwright-core'
import { type Test, test } from 'tap'
import { toAudiences } from '../../../lib/identity/audiences.ts'
import { publicUrl } from '../plumbing/start-app.ts'
import { noChromium, startChromium } from './chromium.ts'
import { startCallback, startListening } from './listen.ts'
import { askForTokens, password, registerClient, toClaims, toFlow } from './start-authorization.ts'

const screenshots = process.env.SCREENSHOTS

for (const javaScriptEnabled of [false, true]) {
  const name = javaScriptEnabled ? 'with JavaScript' : 'without JavaScript'

  test(`a person logs in and consents in Chromium ${name}`, { skip: noChromium }, async t => {
    const started = await startListening(t)
    const { url, people } = started
    const callback = await startCallback(t)
    const client = await registerClient(started, { client_name: 'Reader', redirect_uris: [callback.url] })
    const browser = await startChromium(t)
    const context = await browser.newContext({ javaScriptEnabled, viewport: { width: 320, height: 640 } })
    const page = await context.newPage()
    const errors: string[] = []
    page.on('console', message => message.type() === 'error' && errors.push(message.text()))
    const open = (parameters: Record<string, string> = {}) => {
      const flow = toFlow(client, {
        redirect_uri: callback.url,
        resource: toAudiences(url).mcp,
        scope: 'emails:read emails:write rules:read',
        ...parameters,
      })
      return { flow, url: flow.url.replace(publicUrl, url) }
    }

    const { flow, url: start } = open()
    await page.goto(start)
    t.equal(await page.title(), 'Log in · Kobana Autonomous Inbox')
    await checkPage(t, page, 'login')

    await page.getByLabel('E-mail address').fill('ana@acme.test')
    await page.getByLabel('Password', { exact: true }).fill('wrong')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('alert').waitFor()
    t.match(await page.getByRole('alert').textContent(), 'is not right')
    t.equal(
      await page.getByLabel('E-mail address').inputValue(),
      'ana@acme.test',
      'what was typed is still there',
    )
    await checkPage(t, page, 'login-error')

    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Allow Reader to act for you?' }).waitFor()
    await checkPage(t, page, 'consent')
    t.equal(await page.getByRole('group', { name: 'It may' }).getByRole('checkbox').count(), 3)

    // With the keyboard alone: the first scope away, the other workspace, and the button.
    await page.getByRole('checkbox').first().focus()
    await page.keyboard.press('Space')
    await page.getByRole('radio').first().focus()
    await page.keyboard.press('ArrowDown')
    t.ok(await page.getByLabel('Support').isChecked())
    await page.keyboard.press('Tab')
    const answered = callback.next()
    await page.keyboard.press('Enter')
    const answer = await answered
    // Where the browser is still on its way, the next page would be in its way.
    const isBack = (at: URL) => at.href.startsWith(callback.url)
    await page.waitForURL(isBack)
    t.equal(answer.searchParams.get('state'), flow.state)

    const response = await askForTokens(started, {
      grant_type: 'authorization_code',
      client_id: client.client_id,
      code: answer.searchParams.get('code') ?? '',
      code_verifier: flow.verifier,
      redirect_uri: callback.url,
    })
    t.equal(response.statusCode, 200, response.body)
    const { access_token: token, scope } = response.json()
    t.equal(scope, 'rules:read', 'what was taken away is not there, nor what would have brought it along')
    t.equal(toClaims(token).workspace_id, people.support.workspaceId)

    await page.goto(open({ scope: 'emails:read' }).url)
    await page.getByRole('heading', { name: /^Allow/ }).waitFor()
    const denied = callback.next()
    await page.getByRole('button', { name: 'Deny' }).click()
    t.equal((await denied).searchParams.get('error'), 'access_denied', 'still logged in, and denied')
    await page.waitForURL(isBack)

    await page.goto(open({ redirect_uri: 'https://evil.example/' }).url)
    await page.getByRole('heading', { name: 'This did not work' }).waitFor()
    await checkPage(t, page, 'error')
    t.strictSame(
      errors.filter(text => !/status of 40[03]|favicon/.test(text)),
      [],
      'nothing that the browser refused to do',
    )
  })
}

/** What a screen reader, a keyboard and a narrow screen need of every page. */
async function checkPage(t: Test, page: Page, name: string): Promise<void> {
  if (screenshots) await page.screenshot({ path: `${screenshots}/${name}.png`, fullPage: true })
  t.equal(await page.locator('html').getAttribute('lang'), 'en')
  t.equal(await page.getByRole('heading', { level: 1 }).count(), 1, `${name}: one heading`)
  t.equal(await page.getByRole('main').count(), 1, `${name}: one main part`)
  for (const field of await page.locator('input:not([type=hidden])').all()) {
    const id = await field.getAttribute('id')
    t.equal(await page.locator(`label[for="${id}"]`).count(), 1, `${name}: ${id} has a label`)
  }
  const box = await page.locator('body').boundingBox()
  t.ok(box !== null && box.width <= 320, `${name}: fits into 320 pixels`)
  for (const part of await page.locator('main *:visible').all()) {
    const partBox = await part.boundingBox()
    if (partBox && partBox.x + partBox.width > 321) t.fail(`${name}: ${await part.textContent()} sticks out`)
  }
}
