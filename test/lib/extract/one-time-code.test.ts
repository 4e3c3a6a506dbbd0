import { test } from 'tap'
import { find, valuesOf } from './fixtures/find.ts'

test('codes to sign in or confirm with are found in the sentences that carry them', t => {
  const sentences = [
    ['Seu código de verificação é 482913. Não compartilhe.', '482913'],
    ['Seu código de acesso: 4829', '4829'],
    ['Código de verificação:\n\n482913\n\nVálido por 10 minutos.', '482913'],
    ['Use o código 482913 para confirmar seu acesso.', '482913'],
    ['482913 é o seu código de verificação', '482913'],
    ['Your verification code is 482913.', '482913'],
    ['482-913 is your verification code', '482913'],
    ['G-482913 is your Google verification code.', '482913'],
    ['Your code: AB12CD', 'AB12CD'],
    ['Seu token de segurança é 48291374', '48291374'],
    ['OTP: 482913', '482913'],
    ['Your one-time passcode is 482 913', '482913'],
    ['Sua senha temporária é K7M2P9', 'K7M2P9'],
    ['Enter the PIN 4829 to sign in', '4829'],
    ['Seu codigo é "482913"', '482913'],
    ['Seu código é 2026, válido por 5 minutos', '2026'],
  ] as const
  for (const [text, code] of sentences) t.strictSame(valuesOf('one_time_code', text), [code], text)
  t.end()
})

test('a code in HTML is found in its own block', t => {
  const html = `<p>Seu c&oacute;digo de acesso:</p><table><tr><td style="font-size:32px"><b>482913</b></td></tr></table>`
  const [code] = find('one_time_code', html, { source: 'html' })
  t.match(code, { value: '482913', details: { written: 'digits', keyword: 'código' } })
  t.equal(html.slice(code?.found.offset, (code?.found.offset ?? 0) + (code?.found.length ?? 0)), '482913')
  t.end()
})

test('codes of other things are left out', t => {
  const others = [
    'Código do produto: 12345678',
    'Código postal 01310100',
    'Seu código de rastreio é 12345678',
    'Use o cupom código PROMO10',
    'Your promo code is SAVE2026',
    'Código de barras: 12345678',
    'Your zip code is 94105',
    'Seu código de cliente: 482913',
    'Error code: 50012',
    'Código: 482913',
    'The code 482913 was deployed',
    'Alterado o Código Civil de 2002',
    'Código de verificação enviado em 2026',
    'Seu código expira em 03/11/2026',
    'Seu código de acesso custa R$ 1234',
    'Seu código chegará. Ligue 40028922',
    'código de acesso: abcdef',
    'código de acesso: ABCDEF',
    'código de acesso: 123',
    'código de acesso: 123456789',
    'Seu código: 1234-5678-9012-3456',
    'código de acesso: 123.456.789-09',
    'Your confirmation code: john123456@example.com',
  ]
  for (const other of others) t.strictSame(valuesOf('one_time_code', other), [], other)
  t.end()
})

test('digits of a boleto near such a word are no code', t => {
  const boleto = '00190.50095 40144.816069 06809.350314 3 37370000000100'
  t.strictSame(valuesOf('one_time_code', `Acesse com seu código ${boleto}`), [])
  t.end()
})
