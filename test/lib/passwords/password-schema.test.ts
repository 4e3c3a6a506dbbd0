import { test } from 'tap'
import { passwordSchema } from '../../../lib/passwords/password-schema.ts'

const schema = passwordSchema('ana.moraes@acme.test')
const faultOf = (text: string) => schema.safeParse(text).error?.issues[0]?.message

test('what is too short, too long, the e-mail address or what anybody tries first is refused, saying why', async t => {
  const refused: Record<string, RegExp> = {
    '': /at least 12/,
    elevenchars: /at least 12/,
    // Twelve units of UTF-16, but six characters.
    '🦊🦊🦜🦜🐢🐝': /at least 12/,
    ['long '.repeat(41)]: /at most 200/,
    'Ana.Moraes@acme.test': /e-mail address/,
    ' ana.moraes@acme.test ': /e-mail address/,
    aaaaaaaaaaaaaaaa: /over and over/,
    abcabcabcabcabc: /over and over/,
    '12345678901234': /neighbouring/,
    '098765432109876': /neighbouring/,
    abcdefghijklmnop: /neighbouring/,
    QWERTYUIOPASDF: /neighbouring/,
    'twelve chars \ud800': /Unicode/,
  }
  for (const [text, fault] of Object.entries(refused)) t.match(faultOf(text), fault, JSON.stringify(text))
})

test('nothing is demanded of its composition: blanks, one case, any script, up to 200 characters', async t => {
  const taken = [
    'all in lower case',
    ' blanks around ',
    'senha só minha aqui',
    '数年前に買った青い自転車の鍵',
    '🦊🐢🐝🦜🦊🐢🐝🦜🦊🦊🐢🐢',
    'x y z '.repeat(33),
  ]
  for (const text of taken) t.equal(faultOf(text), undefined, text)
})

test('it is normalized before it is counted', async t => {
  // A ligature of three letters, eight of the half-width form.
  t.equal(schema.parse('\ufb03 \uff41\uff42\uff43\uff44\uff45\uff46\uff47\uff48'), 'ffi abcdefgh')
})
