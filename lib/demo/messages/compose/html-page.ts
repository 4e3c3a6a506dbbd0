import { escapeMarkup } from './escape-markup.ts'

export interface HtmlPage {
  title: string
  paragraphs: readonly string[]
  /** Label and value, as a table. */
  rows?: readonly (readonly [string, string])[]
  /** Content-ID of an inline picture. */
  image?: string
  footer: string
}

/** An HTML body as billing systems write it: one column, a table, styles inline. */
export function toHtmlPage(page: HtmlPage): string {
  const rows = (page.rows ?? []).map(
    ([label, value]) =>
      `<tr><td style="padding:4px 12px 4px 0;color:#555">${escapeMarkup(label)}</td><td><b>${escapeMarkup(value)}</b></td></tr>`,
  )
  return [
    '<!DOCTYPE html>',
    `<html lang="pt-BR"><head><meta charset="utf-8"><title>${escapeMarkup(page.title)}</title></head>`,
    '<body style="font-family:Arial,sans-serif;color:#222">',
    `<h2 style="color:#0b5">${escapeMarkup(page.title)}</h2>`,
    ...page.paragraphs.map(paragraph => `<p>${escapeMarkup(paragraph)}</p>`),
    ...(rows.length > 0 ? ['<table>', ...rows, '</table>'] : []),
    ...(page.image ? [`<p><img src="cid:${page.image}" alt="QR Code" width="120" height="120"></p>`] : []),
    `<p style="font-size:12px;color:#888">${escapeMarkup(page.footer)}</p>`,
    '</body></html>',
  ].join('\n')
}
