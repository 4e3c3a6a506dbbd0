import {
  type AgentPrompt,
  endOfDocument,
  failedEmailArgument,
  thirdPartyNotice,
  toUri,
} from './agent-prompt.ts'

export const explainFailure: AgentPrompt = {
  name: 'explain_failed_email',
  title: 'Explain why an e-mail failed',
  description: 'Says in plain words why an e-mail failed or was rejected, and what can be done about it.',
  arguments: [failedEmailArgument],
  tools: ['emails_get', 'operations_list'],
  render: ({ email }) => [
    {
      text: `Explain why the e-mail ${email} was not processed. Its record is attached.

1. Look at status and failure. With operations_list (email_id ${email}) see what was tried, when, and with which error.
2. failed: say what could not be read and whether trying again can help. rejected: its inbox does not allow this
   sender; name the address that was checked. processed, received or processing: say that nothing is wrong.
3. Answer in at most five sentences for somebody who does not know e-mail formats, then say what can be done, and who
   has to do it: send it again, allow the sender, or process it again with emails_reprocess. Do none of it; propose it.

${thirdPartyNotice}`,
    },
    { resource: toUri('emails', email) },
    { text: endOfDocument },
  ],
}
