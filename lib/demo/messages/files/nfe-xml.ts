import { escapeMarkup } from '../compose/escape-markup.ts'

export interface NfeDocument {
  key: string
  issuer: { cnpj: string; name: string; city: string }
  recipient: { cnpj: string; name: string }
  number: number
  issuedAt: string
  item: string
  /** Cents. */
  amount: number
  /** YYYY-MM-DD */
  due: string
}

/** The authorized NF-e as issuers mail it: layout 4.00, the members that a payer reads. */
export function toNfeXml(nfe: NfeDocument): Buffer {
  const value = (nfe.amount / 100).toFixed(2)
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<nfeProc versao="4.00" xmlns="http://www.portalfiscal.inf.br/nfe"><NFe>',
    `<infNFe Id="NFe${nfe.key}" versao="4.00">`,
    `<ide><natOp>Venda</natOp><mod>55</mod><nNF>${nfe.number}</nNF><dhEmi>${nfe.issuedAt}</dhEmi></ide>`,
    `<emit><CNPJ>${nfe.issuer.cnpj}</CNPJ><xNome>${escapeMarkup(nfe.issuer.name)}</xNome>`,
    `<enderEmit><xMun>${escapeMarkup(nfe.issuer.city)}</xMun></enderEmit></emit>`,
    `<dest><CNPJ>${nfe.recipient.cnpj}</CNPJ><xNome>${escapeMarkup(nfe.recipient.name)}</xNome></dest>`,
    `<det nItem="1"><prod><xProd>${escapeMarkup(nfe.item)}</xProd><qCom>1.0000</qCom><vProd>${value}</vProd></prod></det>`,
    `<total><ICMSTot><vNF>${value}</vNF></ICMSTot></total>`,
    `<cobr><dup><nDup>001</nDup><dVenc>${nfe.due}</dVenc><vDup>${value}</vDup></dup></cobr>`,
    '</infNFe></NFe>',
    `<protNFe versao="4.00"><infProt><chNFe>${nfe.key}</chNFe><cStat>100</cStat></infProt></protNFe>`,
    '</nfeProc>',
  ]
  return Buffer.from(`${lines.join('\n')}\n`, 'utf8')
}
