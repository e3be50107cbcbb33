import { createImport, uploadImportPart } from '@watchline/contracts/people-imports'
import { type Answer, callOperation } from '../../../api/call-operation.ts'
import type { Failure } from '../../../api/failure.ts'

/** An upload and its progress: enough to resume after a failure. */
export interface Upload {
  fileName: string
  parts: readonly string[]
  /** The import's id, once the server has created it. */
  id?: string
  /** The number of parts that the server has. */
  sent: number
}

interface UploadOptions {
  signal: AbortSignal
  onProgress: (upload: Upload) => void
  /** The delay before each retry of a failed call, in ms. */
  retryDelaysMs?: readonly number[]
}

const defaultRetryDelaysMs = [1_000, 2_000, 4_000, 8_000]

export type UploadResult = { ok: true; id: string } | { ok: false; failure: Failure; upload: Upload }

/** Sends the missing parts of a file in order and retries transient failures. Never throws. */
export async function sendUpload(initial: Upload, options: UploadOptions): Promise<UploadResult> {
  const { signal, onProgress, retryDelaysMs = defaultRetryDelaysMs } = options
  let upload = initial
  const report = (changes: Partial<Upload>) => {
    upload = { ...upload, ...changes }
    onProgress(upload)
  }

  if (!upload.id) {
    // Without an answer, the import may exist already, so creating it is not retried.
    const { fileName, parts } = upload
    const creation = await callOperation(
      createImport,
      { body: { file_name: fileName, parts: parts.length } },
      { signal },
    )
    if (!creation.ok) return { ok: false, failure: creation, upload }
    report({ id: creation.data.import.id })
  }
  const id = upload.id as string
  while (upload.sent < upload.parts.length) {
    const part = upload.sent
    const text = upload.parts[part] as string
    const answer = await callWithRetries(
      () => callOperation(uploadImportPart, { params: { id, part }, body: { text } }, { signal }),
      retryDelaysMs,
      signal,
    )
    if (!answer.ok) return { ok: false, failure: answer, upload }
    report({ sent: part + 1 })
  }
  return { ok: true, id }
}

async function callWithRetries<T>(
  call: () => Promise<Answer<T>>,
  delaysMs: readonly number[],
  signal: AbortSignal,
): Promise<Answer<T>> {
  let answer = await call()
  for (const delayMs of delaysMs) {
    if (answer.ok || signal.aborted || !isTransient(answer)) return answer
    await wait(Math.max(delayMs, (answer.retryAfter ?? 0) * 1_000), signal)
    if (signal.aborted) return answer
    answer = await call()
  }
  return answer
}

/** Whether the failure may be over in a moment. */
function isTransient({ status }: Failure): boolean {
  return [0, 429, 502, 503, 504].includes(status)
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(finish, ms)
    function finish() {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      resolve()
    }
    signal.addEventListener('abort', finish)
  })
}
