import { listAudit } from '@watchline/contracts/audit'
import { fromListOperation, gateway } from '../../../api/gateway.ts'

export const auditApi = gateway.injectEndpoints({
  endpoints: build => ({
    listAudit: build.query(fromListOperation(listAudit)),
  }),
})

export const { useListAuditQuery } = auditApi
