import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

export interface Terminal {
  input: NodeJS.ReadStream
  output: NodeJS.WritableStream
}

/** The person left instead of answering. */
export class NotAnswered extends Error {}

/**
 * A secret from standard input: asked for without showing what is typed where a person sits there, otherwise the first line that
 * comes. Rejects with {@link NotAnswered} when there is none.
 */
export async function askSecret(question: string, { input, output }: Terminal): Promise<string> {
  if (input.isTTY) output.write(question)
  // A terminal shows what is typed by what is written here.
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input, output: hidden, terminal: input.isTTY === true, historySize: 0 })
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve)
      lines.once('close', () => reject(new NotAnswered('Nothing was typed; nothing was done.')))
      lines.once('SIGINT', () => lines.close())
    })
  } finally {
    lines.close()
    if (input.isTTY) output.write('\n')
  }
}
