import { scryptSync } from 'node:crypto'
import { test } from 'tap'
import {
  defaultPasswordCost,
  hashPassword,
  isCurrentHash,
  passwordMatches,
} from '../../../lib/passwords/hash-password.ts'

const password = 'correct horse battery'
// Enough to tell what is right; what is the default is told apart below.
const cost = 8

test('another password does not match, nor does any password the account that has none', async t => {
  const hash = await hashPassword(password, cost)
  t.equal(await passwordMatches('correct horse batterY', hash, cost), false)
  t.equal(await passwordMatches('', hash, cost), false)
  t.equal(await passwordMatches(password, null, cost), false)
  t.equal(await passwordMatches('', null, cost), false)
})

test('a text that is no hash is a fault of the database, not a wrong password', async t => {
  for (const text of ['', 'plain', '$scrypt$ln=15,r=8,p=3$$', '$argon2id$v=19$m=1,t=1,p=1$c2FsdA$aGFzaA']) {
    await t.rejects(passwordMatches(password, text, cost), /a form that is not known/)
  }
})

test('a hash is what scrypt itself makes of the password with the salt and cost that stand in it', async t => {
  const hash = await hashPassword(password, defaultPasswordCost)
  const [, name, parameters, salt = '', key = ''] = hash.split('$')
  t.strictSame([name, parameters], ['scrypt', 'ln=15,r=8,p=3'])
  const own = scryptSync(password, Buffer.from(salt, 'base64'), 32, {
    N: 32_768,
    r: 8,
    p: 3,
    maxmem: 128 * 1024 * 1024,
  })
  t.equal(key, own.toString('base64').replace(/=+$/, ''))
  t.equal(Buffer.from(salt, 'base64').length, 16)
  t.equal(await passwordMatches(password, hash, defaultPasswordCost), true)
})

test('the same password has another hash every time', async t => {
  t.not(await hashPassword(password, cost), await hashPassword(password, cost))
})

test('however a keyboard spells a character, it is the same password', async t => {
  const hash = await hashPassword('cafe\u0301 com pão de queijo', cost)
  t.equal(await passwordMatches('caf\u00e9 com pa\u0303o de queijo', hash, cost), true)
  t.equal(await passwordMatches('cafe com pao de queijo', hash, cost), false)
})

test('a hash of a lower cost still matches, and is told apart so that it can be made anew', async t => {
  const salt = Buffer.alloc(16, 7)
  const key = scryptSync(password, salt, 32, { N: 64, r: 8, p: 1 })
  const text = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  const old = `$scrypt$ln=6,r=8,p=1$${text(salt)}$${text(key)}`
  t.equal(await passwordMatches(password, old, cost), true)
  t.equal(await passwordMatches('another password', old, cost), false)
  t.equal(isCurrentHash(old, cost), false)
  t.equal(isCurrentHash(await hashPassword(password, cost), cost), true)
})

test('a hash costs what is configured, and one of another cost is not current', async t => {
  const cheap = await hashPassword(password, 10)
  t.match(cheap, '$scrypt$ln=10,r=8,p=3$')
  t.equal(await passwordMatches(password, cheap, 11), true)
  t.equal(isCurrentHash(cheap, 10), true)
  t.equal(isCurrentHash(cheap, 11), false)
  const costly = await hashPassword(password, 12)
  t.match(costly, '$scrypt$ln=12,r=8,p=3$')
  t.equal(await passwordMatches(password, costly, 10), true)
})

test('somebody who has no account takes as long as somebody who has one', async t => {
  const hash = await hashPassword(password, defaultPasswordCost)
  const fastest = { account: Number.POSITIVE_INFINITY, nobody: Number.POSITIVE_INFINITY }
  for (let turn = 0; turn < 3; turn++) {
    fastest.account = Math.min(
      fastest.account,
      await timed(() => passwordMatches('wrong', hash, defaultPasswordCost)),
    )
    fastest.nobody = Math.min(
      fastest.nobody,
      await timed(() => passwordMatches('wrong', null, defaultPasswordCost)),
    )
  }
  // Far below what a machine that is busy with something else makes of the same work.
  t.ok(fastest.nobody > fastest.account / 3, `${fastest.nobody} ms and ${fastest.account} ms`)
})

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await work()
  return performance.now() - start
}
