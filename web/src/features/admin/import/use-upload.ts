import { useEffect, useRef, useState } from 'react'
import { asFailure, type Failure } from '../../../api/failure.ts'
import { useCacheImport, useCheckImportMutation } from './import-api.ts'
import { importFileName, readImportFile } from './import-file.ts'
import { sendUpload, type Upload } from './upload-file.ts'

export type UploadState =
  | { phase: 'none'; problem?: string }
  | { phase: 'reading'; fileName: string }
  | { phase: 'sending'; upload: Upload }
  | { phase: 'failed'; upload: Upload; failure: Failure }

const idleState: UploadState = { phase: 'none' }

/** Reads a file, uploads it and starts its dry run. `onStarted` then gets the import. */
export function useUpload(onStarted: (startedImport: { id: string; fileName: string }) => void) {
  const [state, setState] = useState<UploadState>(idleState)
  const [checkImport] = useCheckImportMutation()
  const cacheImport = useCacheImport()
  const abort = useRef<AbortController>(undefined)
  useEffect(() => () => abort.current?.abort(), [])

  async function choose(file: File) {
    const { signal } = restart()
    const fileName = importFileName(file.name)
    setState({ phase: 'reading', fileName })
    const content = await readImportFile(file)
    if (signal.aborted) return
    if (!content.ok) return setState({ phase: 'none', problem: `${fileName}: ${content.problem}` })
    await send({ fileName, parts: content.parts, sent: 0 }, signal)
  }

  async function send(upload: Upload, signal: AbortSignal) {
    const showProgress = (progress: Upload) => signal.aborted || setState({ phase: 'sending', upload: progress })
    showProgress(upload)
    const result = await sendUpload(upload, { signal, onProgress: showProgress })
    if (signal.aborted) return
    if (!result.ok) return setState({ phase: 'failed', upload: result.upload, failure: result.failure })

    const { id } = result
    const check = await checkImport({ params: { id }, body: {} })
    if (signal.aborted) return
    const failure = check.error && asFailure(check.error)
    // 409: the dry run is already under way, because the answer to an earlier call was lost.
    if (failure && failure.status !== 409)
      return setState({ phase: 'failed', upload: { ...upload, id, sent: upload.parts.length }, failure })
    if (check.data) cacheImport(check.data.import)
    onStarted({ id, fileName: upload.fileName })
    setState(idleState)
  }

  function restart(): AbortController {
    abort.current?.abort()
    abort.current = new AbortController()
    return abort.current
  }

  return {
    state,
    choose,
    /** Resumes the failed upload. */
    retry() {
      if (state.phase === 'failed') void send(state.upload, restart().signal)
    },
    cancel() {
      abort.current?.abort()
      setState(idleState)
    },
  }
}
