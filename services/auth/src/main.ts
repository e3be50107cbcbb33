import { openPorts, runProcess } from '@watchline/kit/process/run-process'
import { readAuthConfig } from './config.ts'
import { createAuthService } from './service.ts'

await runProcess(async () => {
  const config = readAuthConfig(process.env)
  const { close, ...ports } = await openPorts('auth', config)
  return { service: createAuthService(config, ports), close }
})
