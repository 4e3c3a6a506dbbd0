import { type AgentPrompt, endOfDocument, thirdPartyNotice, toUri } from './agent-prompt.ts'

export const diagnoseWebhook: AgentPrompt = {
  name: 'diagnose_webhook',
  title: 'Diagnose a failing webhook',
  description: 'Finds out since when and why a webhook fails, and what its receiver has to change.',
  arguments: [
    {
      name: 'webhook',
      title: 'Webhook',
      description: 'The id of the webhook, whk_ and 26 characters.',
      required: true,
      complete: { tool: 'webhooks_list', arguments: { limit: 100 }, labels: ['url', 'description'] },
    },
  ],
  tools: ['webhooks_get', 'deliveries_list', 'deliveries_get'],
  render: ({ webhook }) => [
    {
      text: `Find out why the webhook ${webhook} fails. Its record is attached.

1. Page through the newest 100 of deliveries_list (webhook_id ${webhook}). Since when does it fail, always or now and
   then, for which event types, with which status and after how long? Was it disabled?
2. With deliveries_get look at the last success, if any, and at two or three failures: the status, the latency, and the
   excerpt of the answer.
3. Tell apart: the receiver cannot be reached (name, connection, certificate), it refuses (401, 403, 404, 410), it
   fails (5xx), it is too slow, it redirects (redirects are not followed), or its address is not public. A receiver
   that checks signatures and refuses all since some moment most likely has an old secret.
4. Say in at most ten sentences what is wrong, how you know, and what whoever runs the receiver should change. Propose
   the next step (webhooks_test, deliveries_redeliver, webhooks_update) and do nothing before I agree.

${thirdPartyNotice}`,
    },
    { resource: toUri('webhooks', webhook) },
    { text: endOfDocument },
  ],
}
