import { test } from 'tap'
import { createSecretBox } from '../../../lib/secrets/secret-box.ts'
import { alter } from '../../app/support/alter.ts'

const [older, newer] = ['the older key, of 32 characters..', 'the newer key, of 32 characters..']

test('without a key there is no box', t => {
  t.throws(() => createSecretBox([]), /SECRETS_KEY/)
  t.end()
})

test('what was altered, moved, or sealed with another key does not open', t => {
  const box = createSecretBox([older])
  const sealed = box.seal('whsec_secret', 'webhook 1')
  const [version, name, data = ''] = sealed.split('.')
  const flipped = `${version}.${name}.${alter(data, 0)}`
  t.throws(() => box.open(flipped, 'webhook 1'))
  t.throws(() => box.open(`${version}.${name}.${data.slice(0, -8)}`, 'webhook 1'), 'cut short')
  t.throws(() => box.open(`${version}.${name}.`, 'webhook 1'))
  t.throws(() => box.open(sealed, 'webhook 2'), 'in the row of another webhook')
  t.throws(() => box.open('plain text', 'webhook 1'))
  t.throws(() => createSecretBox([newer]).open(sealed, 'webhook 1'), /SECRETS_KEY does not hold/)
  t.end()
})

test('what is sealed does not show, is never sealed the same way twice, and opens', t => {
  const box = createSecretBox([older])
  const sealed = box.seal('whsec_sécret', 'webhook 1')
  t.notMatch(sealed, /whsec/)
  t.not(box.seal('whsec_sécret', 'webhook 1'), sealed)
  t.equal(box.open(sealed, 'webhook 1'), 'whsec_sécret')
  t.equal(box.open(box.seal('', ''), ''), '')
  t.end()
})

test('after a rotation the first key seals and all of them open', t => {
  const before = createSecretBox([older]).seal('a', 'x')
  const rotated = createSecretBox([newer, older])
  t.equal(rotated.open(before, 'x'), 'a')
  t.equal(createSecretBox([newer]).open(rotated.seal('b', 'x'), 'x'), 'b')
  t.end()
})
