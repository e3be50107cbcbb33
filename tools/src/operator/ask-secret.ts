import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

export interface Terminal {
  input: NodeJS.ReadStream
  output: NodeJS.WritableStream
}

/** The input ended without an answer. */
export class NoAnswerError extends Error {}

/**
 * Reads a secret from standard input: at a terminal after a question and without echo, otherwise
 * the first line. Rejects with {@link NoAnswerError} if the input ends first.
 */
export async function askSecret(question: string, { input, output }: Terminal): Promise<string> {
  if (input.isTTY) output.write(question)
  // readline echoes input to its output, so this output discards everything.
  const hidden = new Writable({ write: (_chunk, _encoding, callback) => callback() })
  const lines = createInterface({ input, output: hidden, terminal: input.isTTY === true, historySize: 0 })
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve)
      lines.once('close', () => reject(new NoAnswerError('Nothing was typed, so nothing has changed.')))
      lines.once('SIGINT', () => lines.close())
    })
  } finally {
    lines.close()
    if (input.isTTY) output.write('\n')
  }
}
