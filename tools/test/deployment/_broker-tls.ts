import { expect } from '@jest/globals'

/** A configuration of RabbitMQ with TLS 1.2 and 1.3 on the port of the secrets alone. */
export function expectTlsOnly(conf: string, folder: string): void {
  const settings = Object.fromEntries([...conf.matchAll(/^([\w.]+) = (.+)$/gm)].map(([, name, value]) => [name, value]))
  expect(settings).toMatchObject({
    'listeners.tcp': 'none',
    'listeners.ssl.default': '5671',
    'ssl_options.cacertfile': `${folder}/tls_ca`,
    'ssl_options.certfile': `${folder}/tls_cert_rabbitmq`,
    'ssl_options.keyfile': `${folder}/tls_key_rabbitmq`,
    'ssl_options.versions.1': 'tlsv1.3',
    'ssl_options.versions.2': 'tlsv1.2',
  })
  expect(settings).not.toHaveProperty('ssl_options.versions.3')
}
