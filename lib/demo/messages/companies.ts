import { toCnpj } from './codes/cnpj.ts'
import type { BankAccount } from './codes/free-field.ts'
import { parseTable } from './parse-table.ts'

export interface Company {
  name: string
  /** Whom its mail comes from. */
  mailbox: string
  cnpj: string
  city: string
  /** What it sells, as its invoices call it. */
  item: string
  /** Day of the month on which it bills. */
  day: number
  /** Usual amount in cents. */
  amount: number
  account: BankAccount
}

/** Who pays: the organizations of the demo. */
export const acme = { name: 'Acme Brasil Ltda', cnpj: toCnpj('481920370001') }
export const globex = { name: 'Globex Comércio e Serviços S.A.', cnpj: toCnpj('306715880001') }

/** Monthly suppliers that send boletos. Two of them have an alphanumeric CNPJ. */
export const boletoSuppliers: readonly Company[] = toCompanies(`
  NuvemSul Hospedagem Ltda           | faturamento@nuvemsul.test        | 120458930001 | Porto Alegre        | Hospedagem e domínios         | 3  | 48990
  Papelaria Horizonte Ltda           | cobranca@papelariahorizonte.test | 077315420001 | Belo Horizonte      | Material de escritório        | 5  | 127350
  Limpa Bem Serviços Gerais Ltda     | financeiro@limpabem.test         | 154402170001 | São Paulo           | Limpeza mensal                | 4  | 642000
  Rota Norte Transportes S.A.        | faturas@rotanorte.test           | 033907150002 | Manaus              | Fretes do período             | 10 | 1893277
  Café do Cerrado Distribuidora Ltda | pedidos@cafedocerrado.test       | 219046380001 | Uberlândia          | Café em grãos, 30 kg          | 12 | 189000
  Atalaia Segurança Patrimonial Ltda | contas@atalaia.test              | 086650410001 | Curitiba            | Portaria e monitoramento      | 6  | 1245000
  Mourão & Dias Contabilidade        | boletos@mouraodias.test          | 314420980001 | São Paulo           | Honorários contábeis          | 7  | 380000
  Gráfica Aurora Ltda                | financeiro@graficaaurora.test    | 045583920001 | Campinas            | Impressão de catálogos        | 14 | 356780
  Veredas Locadora de Veículos Ltda  | cobranca@veredas.test            | 178821060003 | Goiânia             | Locação de dois utilitários   | 8  | 560045
  Elevadores Vértice S.A.            | faturamento@vertice.test         | 061109830004 | São Paulo           | Conservação de elevadores     | 9  | 214390
  Praça Viva Paisagismo Ltda         | contato@pracaviva.test           | 270058360001 | Florianópolis       | Jardinagem                    | 19 | 72000
  Ocupar Saúde Ocupacional Ltda      | financeiro@ocupar.test           | 113340590001 | Salvador            | Exames periódicos             | 20 | 156200
  Íris Tecnologia Ltda               | billing@iristec.test             | IR5T4C880001 | São José dos Campos | Licenças de software          | 21 | 430500
  Aço & Forma Móveis Ltda            | cobranca@acoeforma.test          | A7K9ZM210001 | Joinville           | Mobiliário corporativo        | 24 | 1120000
`)

/** Service providers that charge by PIX. */
export const pixProviders: readonly Company[] = toCompanies(`
  Doce Pausa Buffet     | eventos@docepausa.test       | 336701250001 | São Paulo      | Coffee break         | 11 | 145000
  Motoboy Já Entregas   | financeiro@motoboyja.test    | 299934710001 | São Paulo      | Entregas da quinzena | 15 | 63840
  Lúmen Fotografia      | contato@lumenfoto.test       | 405512090001 | Niterói        | Sessão de fotos      | 22 | 220000
  Traduz Mais           | cobranca@traduzmais.test     | 381140660001 | Brasília       | Tradução juramentada | 13 | 91260
  Bike Express Courier  | pix@bikeexpress.test         | 276603980001 | Curitiba       | Coletas urbanas      | 18 | 27500
  Água Boa Galões       | vendas@aguaboa.test          | 195570430001 | Osasco         | Galões de 20 litros  | 6  | 18900
  Studio Voz Locução    | contato@studiovoz.test       | ST0V0Z120001 | Rio de Janeiro | Gravação de URA      | 27 | 175000
`)

/** Those that send an NF-e with its XML. */
export const nfeIssuers: readonly Company[] = toCompanies(`
  Metalúrgica Serra Azul S.A.    | nfe@serraazul.test               | 024418870001 | Caxias do Sul | Suportes metálicos  | 4  | 2318040
  Eletro Pampa Comércio Ltda     | nfe@eletropampa.test             | 147702350001 | Pelotas       | Cabos e conectores  | 11 | 489915
  Embalagens Litoral Ltda        | fiscal@litoralembalagens.test    | 081190560002 | Santos        | Caixas de papelão   | 6  | 356000
  Plásticos Guará Ltda           | nfe@plasticosguara.test          | 203366490001 | Guaratinguetá | Bobinas plásticas   | 13 | 778230
  Química Bandeira S.A.          | faturamento@quimicabandeira.test | 056621080001 | Cubatão       | Solventes           | 18 | 1540700
  Têxtil Pau-Brasil Ltda         | nfe@paubrasiltextil.test         | 172245910001 | Blumenau      | Uniformes           | 20 | 642399
  Ferramentas Jequitibá Ltda     | notas@jequitiba.test             | 110083470001 | Sorocaba      | Ferramentas manuais | 25 | 219880
`)

// name | mailbox | CNPJ without its check digits | city | item | day of the month | cents
function toCompanies(table: string): Company[] {
  return parseTable(table).map((row, index) => {
    const [name = '', mailbox = '', root = '', city = '', item = '', day, amount] = row
    return {
      name,
      mailbox,
      cnpj: toCnpj(root),
      city,
      item,
      day: Number(day),
      amount: Number(amount),
      account: toAccount(index),
    }
  })
}

function toAccount(index: number): BankAccount {
  const banks = ['341', '001', '237', '033'] as const
  return {
    bank: banks[index % banks.length] ?? '341',
    branch: String(1203 + index * 37),
    account: String(41_870 + index * 613),
  }
}
