import { listAudit } from '@watchline/contracts/audit'
import { listErasures } from '@watchline/contracts/privacy'
import { fromListOperation, gateway } from '../../../api/gateway.ts'

export const auditApi = gateway.injectEndpoints({
  endpoints: build => ({
    listAudit: build.query({ ...fromListOperation(listAudit), providesTags: ['People'] }),
    listErasures: build.query({ ...fromListOperation(listErasures), providesTags: ['People'] }),
  }),
})

export const { useListAuditQuery, useListErasuresQuery } = auditApi
