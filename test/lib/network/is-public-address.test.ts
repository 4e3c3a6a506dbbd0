import { test } from 'tap'
import { isPublicAddress } from '../../../lib/network/is-public-address.ts'

const notPublic = {
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  'link-local': ['169.254.0.1', 'fe80::1', 'fe80::1%eth0', 'febf::1'],
  'metadata of a cloud': [
    '169.254.169.254',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    'fd00:ec2::254',
  ],
  'shared (CGNAT)': ['100.64.0.1', '100.127.255.255'],
  unspecified: ['0.0.0.0', '0.1.2.3', '::'],
  'multicast and broadcast': ['224.0.0.1', '239.255.255.250', '255.255.255.255', 'ff02::1'],
  'reserved and documentation': [
    '240.0.0.1',
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '2001:db8::1',
    '3fff::1',
  ],
  benchmarking: ['198.18.0.1', '198.19.255.255', '2001:2::1'],
  'site-local, formerly': ['fec0::1'],
  'IPv4 in IPv6': [
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    '::ffff:0:8.8.8.8',
    '::127.0.0.1',
    '::8.8.8.8',
  ],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::a00:1'],
  '6to4 and Teredo': ['2002:7f00:1::1', '2002:808:808::1', '2001::1', '2001:0:53aa:64c::1'],
  'outside of what was given out': ['4000::1', '5f00::1', '100::1', '::2'],
  'no address': ['', 'localhost', 'example.com', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '[::1]'],
}

for (const [kind, addresses] of Object.entries(notPublic)) {
  test(`an address is not of the public internet: ${kind}`, t => {
    for (const address of addresses) t.equal(isPublicAddress(address), false, address)
    t.end()
  })
}

test('others are', t => {
  for (const address of [
    '8.8.8.8',
    '1.1.1.1',
    '172.32.0.1',
    '100.128.0.1',
    '192.0.1.1',
    '2606:4700:4700::1111',
  ]) {
    t.equal(isPublicAddress(address), true, address)
  }
  t.end()
})
