import type { MailParts, MessageDraft } from '../compose/message-draft.ts'
import { toCalendar } from '../files/calendar.ts'
import { toPdf } from '../files/pdf.ts'
import { toPng } from '../files/png.ts'
import { toAnyMoment } from '../schedule.ts'
import type { SeededRandom } from '../seeded-random.ts'

/** What else arrives in an inbox: invitations, codes, long contracts, empty mail, forwarded mail. */
export function createOddityDrafts(inbox: string, random: SeededRandom): MessageDraft[] {
  const toDraft = (
    kind: string,
    from: MessageDraft['from'],
    subject: string,
    mail: MailParts,
  ): MessageDraft => ({
    kind,
    inbox,
    from,
    date: toAnyMoment(random),
    subject,
    mail,
  })
  return [
    toDraft('contrato', juridico, 'Minuta do contrato de prestação de serviços', {
      text: toContract(random),
    }),
    toDraft(
      'agenda',
      { name: 'Helena Prado', address: 'helena@mouraodias.test' },
      'Convite: fechamento do mês',
      {
        text: 'Reunião de fechamento, por vídeo.\n',
        icalEvent: { method: 'REQUEST', content: invitation },
      },
    ),
    toDraft(
      'codigo',
      { name: 'Banco Mandacaru', address: 'seguranca@bancomandacaru.test' },
      'Seu código de acesso',
      {
        text: 'Seu código de acesso é 482913. Ele vale por 10 minutos. Não o informe a ninguém.\n',
      },
    ),
    toDraft('sem-assunto', { name: '', address: 'scanner@acme.test' }, '', {
      attachments: [
        {
          filename: 'digitalização 0007.pdf',
          contentType: 'application/pdf',
          content: toPdf('Recibo', ['R$ 85,00']),
        },
        { filename: 'foto.png', contentType: 'image/png', content: toPng(48, (x, y) => (x ^ y) % 7 === 0) },
      ],
    }),
    toDraft(
      'encaminhada',
      { name: 'Bruno Salles', address: 'bruno@acme.test' },
      'Fwd: orçamento de mobiliário',
      {
        text: 'Segue o orçamento que recebi, para conferência.\n',
        attachments: [{ filename: 'orcamento.eml', contentType: 'message/rfc822', content: forwarded }],
      },
    ),
    toDraft(
      'marcacao',
      { name: '<b>Portal</b> de Notas', address: 'portal@notas.test' },
      '<script>alert(1)</script> & nota',
      {
        html: '<p>Texto com <a href="https://portal.notas.test/n/9?a=1&amp;b=2">link</a> &amp; entidades &ccedil;&atilde;o</p><script>alert(1)</script>',
      },
    ),
    toDraft(
      'ausencia',
      { name: 'Marta Siqueira', address: 'marta@graficaaurora.test' },
      'Resposta automática: férias',
      {
        text: 'Estou de férias até o dia 30. Urgências com financeiro@graficaaurora.test.\n',
        headers: { 'Auto-Submitted': 'auto-replied', Precedence: 'bulk' },
      },
    ),
  ]
}

const juridico = { name: 'Jurídico Mourão & Dias', address: 'juridico@mouraodias.test' }

const invitation = toCalendar({
  uid: 'fechamento-2026-10@mouraodias.test',
  title: 'Fechamento do mês',
  organizer: 'helena@mouraodias.test',
  start: new Date('2026-10-30T13:00:00Z'),
  duration: 45,
})

const forwarded = [
  'From: Vendas <vendas@acoeforma.test>',
  'To: bruno@acme.test',
  'Subject: =?utf-8?Q?Or=C3=A7amento_1182?=',
  'Date: Mon, 05 Oct 2026 10:20:00 -0300',
  'Message-ID: <orcamento-1182@acoeforma.test>',
  'MIME-Version: 1.0',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: 8bit',
  '',
  'Doze mesas e doze cadeiras: R$ 11.200,00, entrega em vinte dias.',
  '',
].join('\r\n')

// Well over 32 KB, the most that one page of an e-mail's text holds.
function toContract(random: SeededRandom): string {
  const clauses = Array.from({ length: 160 }, (_, index) => {
    const days = random.integer(2, 60)
    return [
      `Cláusula ${index + 1}ª. A CONTRATADA obriga-se a executar os serviços descritos no Anexo ${(index % 9) + 1},`,
      `no prazo de ${days} dias contados da ordem de serviço, respondendo por perdas e danos em caso de mora.`,
      'Parágrafo único. A tolerância de uma das partes não importa novação nem renúncia a direito algum.',
      '',
    ].join('\n')
  })
  return `MINUTA PARA REVISÃO\n\n${clauses.join('\n')}\nFim da minuta.\n`
}
