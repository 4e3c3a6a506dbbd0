import type { MessageDraft } from '../compose/message-draft.ts'
import { toMailDate, toRawMessage } from '../compose/raw-message.ts'
import { toAnyMoment } from '../schedule.ts'
import type { SeededRandom } from '../seeded-random.ts'

interface Talk {
  name: string
  address: string
  subject: string
  text: string
}

/** People writing by hand: format=flowed, quotations, threads. */
export function createConversationDrafts(inbox: string, random: SeededRandom): MessageDraft[] {
  return talks.map((talk, index) => {
    const date = toAnyMoment(random)
    const from = { name: talk.name, address: talk.address }
    return {
      kind: 'conversa',
      inbox,
      from,
      date,
      subject: talk.subject,
      raw: messageId =>
        toRawMessage(
          [
            ['From', `${talk.name} <${talk.address}>`],
            ['To', inbox],
            ['Subject', talk.subject],
            ['Date', toMailDate(date)],
            ['Message-ID', messageId],
            ...(index % 2 === 1 ? ([['In-Reply-To', `<thread-${index}@acme.test>`]] as const) : []),
            ['MIME-Version', '1.0'],
            ['Content-Type', 'text/plain; charset=utf-8; format=flowed'],
            ['Content-Transfer-Encoding', '8bit'],
          ],
          toFlowed(talk.text),
        ),
    }
  })
}

// RFC 3676: a line that goes on ends in a space; "From " and quotation marks at its start are stuffed.
function toFlowed(text: string): string {
  return text
    .split('\n')
    .map(line => (line.startsWith('>') ? line : line.replace(/(.{50,70}) (?=\S)/g, '$1 \n')))
    .join('\n')
}

const talks: readonly Talk[] = [
  {
    name: 'Marta Siqueira',
    address: 'marta@graficaaurora.test',
    subject: 'Prorrogacao do boleto de setembro',
    text: 'Bom dia, pessoal!\n\nConversamos com a diretoria e conseguimos prorrogar o vencimento do boleto de setembro por mais dez dias, sem juros. Um novo documento sai ainda hoje pelo sistema.\n\nAbraços,\nMarta\n',
  },
  {
    name: 'Rui Tavares',
    address: 'rui@rotanorte.test',
    subject: 'Re: divergencia no frete de agosto',
    text: '> O valor do CT-e 8841 veio acima do combinado.\n\nVocês têm razão: a pesagem foi lançada em duplicidade. Vamos emitir uma carta de correção e abater a diferença na próxima fatura, combinado?\n\nRui\n',
  },
  {
    name: 'Helena Prado',
    address: 'helena@mouraodias.test',
    subject: 'Documentos para o fechamento',
    text: 'Olá!\n\nPara fechar o mês ainda faltam os extratos das duas contas e as notas de serviço tomadas. Se puderem mandar até quinta-feira, evitamos retificar a declaração depois.\n\nObrigada,\nHelena\n',
  },
  {
    name: 'Caio Bastos',
    address: 'caio@climatec.test',
    subject: 'Re: visita tecnica de outubro',
    text: '> Podemos remarcar para a semana que vem?\n\nPodemos sim. Deixei reservada a terça-feira, dia 20, às 9h. O técnico leva o laudo assinado e a nota vai por e-mail no mesmo dia.\n\nCaio\n',
  },
  {
    name: 'Denise Furtado',
    address: 'denise@veredas.test',
    subject: 'Reajuste anual do contrato',
    text: 'Prezados,\n\nConforme a cláusula sétima, o contrato de locação será reajustado pelo índice acumulado de doze meses a partir de novembro. Segue a memória de cálculo no corpo da mensagem:\n\n  valor atual: 5.600,00\n  índice: 4,12%\n  valor novo: 5.830,72\n\nFico à disposição.\nDenise\n',
  },
  {
    name: 'Paulo Nakamura',
    address: 'paulo@iristec.test',
    subject: 'Re: acesso ao portal de faturas',
    text: '> Não recebi o convite do portal.\n\nReenviei agora. O link vale por vinte e quatro horas; se expirar, é só pedir outro na tela de entrada que ele chega em poucos minutos.\n\nPaulo\n',
  },
  {
    name: 'Lia Monteiro',
    address: 'lia@bancomandacaru.test',
    subject: 'Limite para pagamentos em lote',
    text: 'Oi, Ana!\n\nO novo limite para pagamentos em lote já está valendo. Lembre que lotes acima de cem títulos precisam de duas aprovações, e que a segunda só pode ser dada por outra pessoa.\n\nLia\n',
  },
  {
    name: 'Fabio Reis',
    address: 'fabio@atalaia.test',
    subject: 'Re: nota fiscal em duplicidade',
    text: '> Recebemos a mesma nota duas vezes.\n\nDesculpem a confusão: o sistema reenviou a mensagem depois de uma queda. A segunda pode ser ignorada, o título é um só.\n\nFábio\n',
  },
]
