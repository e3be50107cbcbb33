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

const none: UploadState = { phase: 'none' }

/** Reads a file, uploads it and starts its dry run. `onBegun` then gets the import. */
export function useUpload(onBegun: (begun: { id: string; fileName: string }) => void) {
  const [state, setState] = useState<UploadState>(none)
  const [checkImport] = useCheckImportMutation()
  const keepImport = useCacheImport()
  const abort = useRef<AbortController>(undefined)
  useEffect(() => () => abort.current?.abort(), [])

  async function choose(file: File) {
    const { signal } = restart()
    const fileName = importFileName(file.name)
    setState({ phase: 'reading', fileName })
    const read = await readImportFile(file)
    if (signal.aborted) return
    if (!read.ok) return setState({ phase: 'none', problem: `${fileName}: ${read.problem}` })
    await send({ fileName, parts: read.parts, sent: 0 }, signal)
  }

  async function send(begun: Upload, signal: AbortSignal) {
    const show = (upload: Upload) => signal.aborted || setState({ phase: 'sending', upload })
    show(begun)
    const uploaded = await sendUpload(begun, { signal, onProgress: show })
    if (signal.aborted) return
    if (!uploaded.ok) return setState({ phase: 'failed', upload: uploaded.upload, failure: uploaded.failure })

    const { id } = uploaded
    const checked = await checkImport({ params: { id }, body: {} })
    if (signal.aborted) return
    const failure = checked.error && asFailure(checked.error)
    // 409: the dry run is already under way, because the answer to an earlier call was lost.
    if (failure && failure.status !== 409)
      return setState({ phase: 'failed', upload: { ...begun, id, sent: begun.parts.length }, failure })
    if (checked.data) keepImport(checked.data.import)
    onBegun({ id, fileName: begun.fileName })
    setState(none)
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
      setState(none)
    },
  }
}
