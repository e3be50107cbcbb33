import { openPorts, runProcess } from '@watchline/kit/process/run-process'
import { readGatewayConfig } from './config.ts'
import { createGateway } from './gateway.ts'

await runProcess(async () => {
  const config = readGatewayConfig(process.env)
  const { close, ...ports } = await openPorts('gateway', config)
  return { service: createGateway(config, ports), close }
})
