/** The parts of oidc-provider that this service uses; the library has no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export interface Interaction {
    uid: string
    prompt: { name: string }
    params: Record<string, string | undefined>
  }

  export class Grant {
    constructor(fields: { clientId: string; accountId: string })
    addOIDCScope(scope: string): void
    save(): Promise<string>
  }

  export class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>)
    proxy: boolean
    /** The prototype of all requests. */
    request: object
    Grant: typeof Grant
    callback(): (req: IncomingMessage, res: ServerResponse) => Promise<void>
    interactionDetails(req: IncomingMessage, res: ServerResponse): Promise<Interaction>
    interactionFinished(
      req: IncomingMessage,
      res: ServerResponse,
      result: Record<string, unknown>,
      options?: { mergeWithLastSubmission?: boolean },
    ): Promise<void>
    on(event: string, listener: (...args: unknown[]) => void): this
  }

  export class Prompt {
    name: string
  }

  export const interactionPolicy: { base(): { get(name: string): Prompt } }
  export const errors: { OIDCProviderError: new (...args: never[]) => Error & { statusCode: number } }
}
