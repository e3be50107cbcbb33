import { limits } from '@watchline/contracts/limits'
import { getVideoDataStatus, previewImport } from '@watchline/contracts/playlist-imports'
import { fromOperation, gateway } from './gateway.ts'

/** Whether YouTube can be read, for every form that accepts a playlist's address. */
const videoDataApi = gateway.injectEndpoints({
  endpoints: build => ({
    getVideoDataStatus: build.query(fromOperation(getVideoDataStatus, { timeoutMs: limits.systemStatusTimeoutMs })),
    previewImport: build.query(fromOperation(previewImport)),
  }),
})

export const { useGetVideoDataStatusQuery, useLazyPreviewImportQuery } = videoDataApi
