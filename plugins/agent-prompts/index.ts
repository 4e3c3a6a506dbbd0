import type { AgentPrompt } from './agent-prompt.ts'
import { diagnoseWebhook } from './diagnose-webhook.ts'
import { draftRule } from './draft-rule.ts'
import { explainFailure } from './explain-failure.ts'
import { reconcileBoletos } from './reconcile-boletos.ts'
import { reviewSenders } from './review-senders.ts'
import { triageNew } from './triage-new.ts'

/** What people who run an inbox ask for every week, each as a prompt over the tools of the API. */
export const agentPrompts: readonly AgentPrompt[] = [
  diagnoseWebhook,
  draftRule,
  explainFailure,
  reconcileBoletos,
  reviewSenders,
  triageNew,
]
