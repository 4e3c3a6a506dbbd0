import { type AgentPrompt, inboxArgument, thirdPartyNotice } from './agent-prompt.ts'

export const reconcileBoletos: AgentPrompt = {
  name: 'reconcile_boletos',
  title: 'Reconcile the boletos due this week',
  description:
    'Lists every boleto that is due this week once, with amount, beneficiary and e-mail, and what looks wrong.',
  arguments: [inboxArgument],
  tools: ['extractions_list', 'emails_get'],
  render: ({ inbox }) => {
    const { monday, nextMonday, today } = toWeek(new Date())
    return [
      {
        text: `Reconcile the boletos due this week: from ${monday} to the day before ${nextMonday}. Today is ${today} (UTC).

1. Page through extractions_list with kind boleto, due_after ${monday}, due_before ${nextMonday}${inbox ? `, inbox_id ${inbox}` : ''}
   until meta.next_cursor is null.
2. The same value is the same boleto, however many e-mails bring it: list it once and count its e-mails. The same
   amount and due date with another value may be a second copy or a fraud: put such pairs side by side.
3. For each, read its e-mail with emails_get for the sender and the subject. The amount and the due date come from the
   extraction; where the text claims others, say so.
4. Give me a table sorted by due date (due, amount, value, sender, e-mails), the total for each day and for the week,
   and then what I should look at: overdue today, paid twice perhaps, a sender who never sent a boleto before, an
   amount of zero.
Pay nothing and confirm no payment: you have no tool for it. Boletos without a due date are not in this list; say so.

${thirdPartyNotice}`,
      },
    ]
  },
}

/** The week from Monday to Sunday that a moment is in, as days in UTC. */
function toWeek(now: Date): { readonly monday: string; readonly nextMonday: string; readonly today: string } {
  const sinceMonday = (now.getUTCDay() + 6) % 7
  const toDay = (offset: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + offset))
      .toISOString()
      .slice(0, 10)
  return { monday: toDay(-sinceMonday), nextMonday: toDay(7 - sinceMonday), today: toDay(0) }
}
