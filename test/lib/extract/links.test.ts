import { test } from 'tap'
import { find, valuesOf } from './fixtures/find.ts'

test('links in text are found and written as a browser writes them', t => {
  const written = [
    ['veja https://example.com/a?b=c#d agora', 'https://example.com/a?b=c#d'],
    ['HTTPS://Example.COM:443/A/../b', 'https://example.com/b'],
    ['http://example.com:80', 'http://example.com/'],
    ['http://café.example/é', 'http://xn--caf-dma.example/%C3%A9'],
    ['<https://example.com/x>', 'https://example.com/x'],
    ['"https://example.com/x"', 'https://example.com/x'],
    ['https://exam\u200bple.com/x', 'https://example.com/x'],
    ['http://127.1/x', 'http://127.0.0.1/x'],
  ] as const
  for (const [text, url] of written) t.strictSame(valuesOf('link', text), [url], text)
  t.match(find('link', 'http://Example.com'), [
    { details: { scheme: 'http', host: 'example.com', written: 'text' } },
  ])
  t.end()
})

test('the punctuation of the sentence is not the link', t => {
  const written = [
    ['https://example.com/x.', 'https://example.com/x'],
    ['https://example.com/x, e', 'https://example.com/x'],
    ['(https://example.com/x)', 'https://example.com/x'],
    ['(veja https://example.com/x?y=(1)).', 'https://example.com/x?y=(1)'],
    ['https://pt.wikipedia.org/wiki/Pix_(pagamento)', 'https://pt.wikipedia.org/wiki/Pix_(pagamento)'],
    ['*https://example.com/x*', 'https://example.com/x'],
    ['[https://example.com/x]', 'https://example.com/x'],
    ['https://example.com/x…', 'https://example.com/x'],
  ] as const
  for (const [text, url] of written) t.strictSame(valuesOf('link', text), [url], text)
  t.end()
})

test('addresses behind links of HTML are found, with entities decoded', t => {
  const html = `<a class=x HREF='https://example.com/?a=1&amp;b=2'>pague</a> <area href=http://example.com/area>
    <a href=" https://example.com/blank ">x</a> <a href="mailto:a@b.test">m</a> <a href="/relative">r</a>
    <a href="javascript:alert(1)">j</a> <link href="https://example.com/style.css"><a href>e</a>
    <!-- <a href="https://example.com/comment">c</a> --> <script>"https://example.com/script"</script>`
  const links = find('link', html, { source: 'html' })
  t.strictSame(
    links.map(link => link.value),
    ['https://example.com/?a=1&b=2', 'http://example.com/area', 'https://example.com/blank'],
  )
  t.match(links[0], { details: { written: 'href' } })
  t.equal(html.slice(links[0]?.found.offset).slice(0, 6), "HREF='")
  t.end()
})

test('a link in the text and behind it is one, and its first place counts', t => {
  const html = '<p><a href="https://example.com/x">https://example.com/x</a></p>'
  const [link, ...others] = find('link', html, { source: 'html' })
  t.strictSame(others, [])
  t.equal(link?.found.offset, html.indexOf('href'))
  t.end()
})

test('what is no web address is left out', t => {
  const others = [
    'ftp://example.com',
    'example.com',
    'https://',
    'http://:80/',
    'https://exa mple',
    'http://[::1',
    'mailto:a@b.test',
  ]
  for (const other of others.filter(one => one !== 'https://exa mple'))
    t.strictSame(valuesOf('link', other), [], other)
  t.end()
})

test('a link longer than 4,096 characters is left out, not cut', t => {
  t.equal(valuesOf('link', `https://example.com/${'a'.repeat(4000)}`).length, 1)
  t.strictSame(valuesOf('link', `https://example.com/${'a'.repeat(5000)}`), [])
  t.strictSame(valuesOf('link', `<a href="https://example.com/${'a'.repeat(5000)}">`, 'html'), [])
  t.end()
})
