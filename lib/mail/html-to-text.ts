import { compile } from 'html-to-text'
import { Parser } from 'htmlparser2'
import { unreadable } from './mime/unreadable-message.ts'

const maxDepth = 1_000
const maxElements = 100_000
const maxCharacters = 2_097_152

/**
 * The text of an HTML message: what a person would read, one line for a paragraph or a table's row, links
 * behind their words. Throws `UnreadableMessage` for what nobody would read.
 */
export function toPlainText(html: string): string {
  measure(html)
  return convert(html)
}

/**
 * Stops on the way at what would cost too much. htmlparser2 keeps what is open in an array and adds at its
 * front, so that the time grows with the square of the depth: minutes for a megabyte of `<b>`. The converter
 * takes some 20 microseconds for each element.
 */
function measure(html: string): void {
  let depth = 0
  let elements = 0
  let characters = 0
  const parser = new Parser({
    onopentagname() {
      depth += 1
      elements += 1
      if (depth > maxDepth) throw unreadable.htmlTooDeep(maxDepth)
      if (elements > maxElements) throw unreadable.htmlTooLarge(`${maxElements} elements`)
    },
    onclosetag() {
      depth -= 1
    },
    ontext(text) {
      characters += text.length
      if (characters > maxCharacters) throw unreadable.htmlTooLarge(`${maxCharacters} characters of text`)
    },
  })
  parser.end(html)
}

const convert = compile({
  wordwrap: false,
  // What is deeper than a few hundred elements is left out: the converter calls itself for each of them.
  limits: { maxDepth: 300, ellipsis: '' },
  selectors: [
    { selector: 'img', format: 'skip' },
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map(selector => ({ selector, options: { uppercase: false } })),
    // Most tables of mail are layout: a row is a line, its cells are words.
    { selector: 'tr', format: 'block', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    ...['td', 'th'].map(selector => ({ selector, format: 'inlineSurround', options: { suffix: ' ' } })),
  ],
})
