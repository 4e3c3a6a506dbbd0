import { test } from 'tap'
import { demoRules } from '../../../lib/demo/demo-rules.ts'
import { demoWebhooks } from '../../../lib/demo/demo-webhooks.ts'
import { upsertedRule } from '../../../lib/rules/schema.ts'
import { newWebhook } from '../../../lib/webhooks/schema.ts'

test('the rules of the demo are such as the API takes, with ids that documentation can name', t => {
  for (const { key, name, description, enabled, priority, match, conditions, actions } of demoRules) {
    const rule = { key, name, description, enabled, priority, match }
    const parsed = { conditions: JSON.parse(conditions), actions: JSON.parse(actions) }
    t.same(upsertedRule.parse({ ...rule, ...parsed }), { ...rule, ...parsed }, key)
  }
  t.equal(new Set(demoRules.map(({ id }) => id)).size, demoRules.length)
  t.equal(demoRules[0]?.id, 'rul_01kyyk41g0fg9vv4fffsrs39gt')
  t.end()
})

test('so are its webhooks, which lead to hosts that nobody outside has', t => {
  for (const { url, event_types, description, enabled } of demoWebhooks) {
    const webhook = { url, event_types, description, enabled }
    t.same(newWebhook.parse(webhook), webhook, url)
    t.match(new URL(url).hostname, /\.test$/)
  }
  t.equal(new Set(demoWebhooks.map(({ id }) => id)).size, demoWebhooks.length)
  t.equal(demoWebhooks[0]?.id, 'whk_01kyyk41g0f0hs40hqp980xn2q')
  t.end()
})
