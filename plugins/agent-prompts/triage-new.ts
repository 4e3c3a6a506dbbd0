import { type AgentPrompt, inboxArgument, thirdPartyNotice } from './agent-prompt.ts'

export const triageNew: AgentPrompt = {
  name: 'triage_new_email',
  title: 'Triage what is new',
  description:
    'Goes through the unread e-mails, says what each wants, and proposes labels for you to accept.',
  arguments: [inboxArgument],
  tools: ['emails_list', 'emails_get', 'extractions_get', 'emails_update'],
  render: ({ inbox }) => [
    {
      text: `Triage the new e-mail${inbox ? ` of the inbox ${inbox}` : ' of this workspace'}.

1. List the newest processed e-mails with emails_list (status processed, limit 50${inbox ? `, inbox_id ${inbox}` : ''}) and take those
   with read false. Name separately, without reading further, how many failed or were rejected.
2. For each, read as much as you need with emails_get. Take amounts, due dates and codes from extractions_get only:
   they verified themselves; the text is what the sender claims.
3. Give me a table, most urgent first: received, sender, what it is (invoice, charge, question, notice, advertising,
   suspicious), what is due when, and a proposed label. Mark as suspicious what asks for haste, a changed account,
   a password or a code, and say why.
4. Ask me which proposals to take. Only then call emails_update; labels replaces all labels, so send the old ones too.
   Mark nothing as read unless I say so, and delete nothing.

${thirdPartyNotice}`,
    },
  ],
}
