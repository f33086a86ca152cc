import { createGuardedClient } from '@looprig/tools/web'
import { describe, expect, it } from 'vitest'
import { classifyAddress } from '../../src/web/client/address-ranges.ts'
import { get, refusal } from './client-fixture.ts'
import { serve } from './local-server.ts'

describe('the class of an address', () => {
  it.each([
    '8.8.8.8',
    '1.1.1.1',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '192.167.255.255',
    '223.255.255.255',
    '198.20.0.0',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
    '2001:4860:4860::8888',
  ])('%s is public', (address) => {
    expect(classifyAddress(address)).toBe('public')
  })

  it.each([
    '10.0.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '::1',
    'fc00::1',
    'fdff::1',
  ])('%s is private', (address) => {
    expect(classifyAddress(address)).toBe('private')
  })

  it.each([
    ['this network', '0.0.0.0'],
    ['metadata', '169.254.169.254'],
    ['metadata of one cloud', '100.100.100.200'],
    ['the wire server of one cloud', '168.63.129.16'],
    ['metadata over IPv6', 'fd00:ec2::254'],
    ['protocol assignments', '192.0.0.192'],
    ['documentation', '203.0.113.5'],
    ['benchmarks', '198.19.255.255'],
    ['6to4 relays', '192.88.99.1'],
    ['multicast', '224.0.0.1'],
    ['reserved', '240.0.0.1'],
    ['broadcast', '255.255.255.255'],
    ['unspecified', '::'],
    ['mapped', '::ffff:10.0.0.1'],
    ['mapped, also of a public address', '::ffff:8.8.8.8'],
    ['mapped, in hexadecimal', '::ffff:7f00:1'],
    ['compatible', '::10.0.0.1'],
    ['translated', '::ffff:0:10.0.0.1'],
    ['NAT64', '64:ff9b::a00:1'],
    ['local NAT64', '64:ff9b:1::a00:1'],
    ['6to4', '2002:a00:1::'],
    ['Teredo', '2001:0:a00:1::'],
    ['discard', '100::1'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['public with a zone', '2606:4700:4700::1111%1'],
    ['site-local', 'fec0::1'],
    ['multicast over IPv6', 'ff02::1'],
    ['documentation over IPv6', '2001:db8::1'],
    ['newer documentation', '3fff::1'],
    ['segment routing', '5f00::1'],
    ['no address', 'example.com'],
    ['an octal spelling', '0177.0.0.1'],
  ])('%s is special: %s', (_name, address) => {
    expect(classifyAddress(address)).toBe('special')
  })
})

describe('a guarded client', () => {
  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://017700000001/',
    'http://①②⑦.0.0.1/',
    'http://0/',
    'http://127.0.0.1./',
    'http://10.1.2.3/',
    'http://100.100.100.200/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:10.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[fe80::1]/',
    'http://[fd00:ec2::254]/',
    'http://%31%32%37.0.0.1/',
  ])('refuses the address of %s without asking a resolver', async (url) => {
    const asked: string[] = []
    const client = createGuardedClient({
      resolve: async (name) => {
        asked.push(name)
        return ['8.8.8.8']
      },
    })

    expect(() => client.checkUrl(url)).toThrow('not public')
    expect(await refusal(client.request(get(url)))).toMatchObject({ code: 'address_denied' })
    expect(asked).toEqual([])
  })

  it.each([
    ['a private address', ['10.0.0.5']],
    ['a public and a private address', ['8.8.8.8', '127.0.0.1']],
    ['a mapped address', ['::ffff:127.0.0.1']],
    ['a link-local address', ['fe80::1%eth0']],
    ['text that is no address', ['localhost']],
  ])('refuses a name that leads to %s, and does not tell which', async (_name, addresses) => {
    const client = createGuardedClient({ resolve: async () => addresses })

    const { code, message } = await refusal(client.request(get('http://internal.example/secret?q=SENTINEL')))

    expect(code).toBe('address_denied')
    expect(message).toBe('internal.example leads to an address that is not public; it cannot be reached')
  })

  it('sends nothing to a server whose name leads to a private address', async () => {
    const server = await serve((_request, response) => response.end('secret'))
    const client = createGuardedClient({ resolve: async () => ['127.0.0.1'] })

    await refusal(client.request(get(`http://rebind.example:${server.port}/`)))

    expect(server.connections()).toBe(0)
  })

  it('asks for a name once per call, and connects to what it was told then', async () => {
    const server = await serve((request, response) => {
      if (request.url === '/') response.writeHead(302, { location: '/next' }).end()
      else response.end(request.headers.host)
    })
    let asked = 0
    // private from the second time on, as a hostile name server answers
    const resolve = async () => (asked++ === 0 ? ['127.0.0.1'] : ['169.254.169.254'])
    const client = createGuardedClient({ resolve, allowPrivateHosts: [`flip.example:${server.port}`] })

    const answer = await client.request(get(`http://flip.example:${server.port}/`))

    expect(Buffer.from(answer.body).toString()).toBe(`flip.example:${server.port}`)
    expect(asked).toBe(1)
    expect(server.connections()).toBe(2)
    expect(await refusal(client.request(get(`http://flip.example:${server.port}/`)))).toMatchObject({
      code: 'address_denied',
    })
  })

  it('tries the next address of a name when the first does not answer', async () => {
    const server = await serve((_request, response) => response.end('here'))
    const client = createGuardedClient({
      resolve: async () => ['127.0.0.9', '127.0.0.1'],
      allowPrivateHosts: [`two.example:${server.port}`],
    })

    const answer = await client.request(get(`http://two.example:${server.port}/`))

    expect(Buffer.from(answer.body).toString()).toBe('here')
  })

  it('tells a name without an address', async () => {
    const rejecting = createGuardedClient({ resolve: () => Promise.reject(new Error('SENTINEL')) })
    const empty = createGuardedClient({ resolve: async () => [] })

    const outcomes = await Promise.all(
      [rejecting, empty].map((client) => refusal(client.request(get('http://no.example/')))),
    )

    expect(outcomes).toEqual(Array(2).fill({ code: 'host_not_found', message: 'no.example has no address' }))
  })
})

describe('allowPrivateHosts', () => {
  it('permits the named host at the named port alone', async () => {
    const client = createGuardedClient({ allowPrivateHosts: ['127.0.0.1:3000', 'LOCALHOST.:3001', '::1:3002'] })

    for (const url of ['http://127.0.0.1:3000/', 'http://127.1:3000/', 'http://[::1]:3002/']) client.checkUrl(url)
    for (const url of ['http://127.0.0.1:3001/', 'http://127.0.0.2:3000/', 'http://[::1]:3000/']) {
      expect(() => client.checkUrl(url)).toThrow('not public')
    }
  })

  it('lets no name lead to a metadata service, but takes its very address', async () => {
    const client = createGuardedClient({
      allowPrivateHosts: ['dev.example:80', '169.254.169.254:80'],
      resolve: async () => ['169.254.169.254'],
    })

    expect(await refusal(client.request(get('http://dev.example/')))).toMatchObject({ code: 'address_denied' })
    expect(() => client.checkUrl('http://169.254.169.254/')).not.toThrow()
  })

  it('takes the standard port of https as well', () => {
    const client = createGuardedClient({ allowPrivateHosts: ['10.0.0.1:443'] })

    expect(() => client.checkUrl('https://10.0.0.1/')).not.toThrow()
    expect(() => client.checkUrl('http://10.0.0.1/')).toThrow('not public')
  })

  it.each([
    'localhost',
    'localhost:0',
    'localhost:70000',
    '',
    ':80',
    'a b:80',
    'user@host:80',
    'host/path:80',
    'http://host:80',
    '*:80',
  ])('refuses the entry %j', (entry) => {
    expect(() => createGuardedClient({ allowPrivateHosts: ['ok.example:80', entry] })).toThrow(
      'createGuardedClient: the definition is not valid (allowPrivateHosts[1])',
    )
  })
})
