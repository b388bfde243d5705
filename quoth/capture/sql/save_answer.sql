-- All that hangs on `ended`: a capture that has its outcome gets no other.
with ended as (
    update capture.capture
       set outcome = %(outcome)s,
           reason = %(reason)s,
           ended_at = now()
     where workspace_id = %(workspace_id)s
       and id = %(capture_id)s
       and outcome is null
    returning workspace_id, id
), answered as (
    update capture.attempt
       set state = 'answered',
           ended_at = now(),
           error_class = null,
           error = null,
           possibly_paid = false,
           usage = %(usage)s,
           cost = %(cost)s,
           currency = %(currency)s,
           cost_source = %(cost_source)s,
           status = null,
           headers = null,
           body = null
      from ended
     where attempt.workspace_id = ended.workspace_id
       and attempt.id = %(attempt_id)s
    returning attempt.sent_at
), superseded as (
    update capture.attempt
       set state = 'late',
           ended_at = now(),
           error_class = 'late',
           error = %(late)s,
           possibly_paid = true
      from ended
     where attempt.workspace_id = ended.workspace_id
       and attempt.capture_id = ended.id
       and attempt.id <> %(attempt_id)s
       and attempt.state in ('sending', 'accepted')
), answer as (
    insert into capture.answer
           (workspace_id, capture_id, attempt_id, text, model, searched, queries, links, status,
            headers, body, took)
    select ended.workspace_id, ended.id, %(attempt_id)s, %(text)s, %(model)s, %(searched)s,
           %(queries)s, to_jsonb(%(links)s::jsonb[]), %(status)s, %(headers)s, %(body)s,
           now() - answered.sent_at
      from ended, answered
), reading as (
    insert into capture.reading (workspace_id, capture_id, version, brand_ids, mentions, cited)
    select workspace_id, id, %(version)s, %(named)s::bigint[], %(times)s::integer[], %(cited)s
      from ended
), mentions as (
    insert into capture.mention
           (workspace_id, capture_id, version, brand_id, starts, ends, surface)
    select ended.workspace_id, ended.id, %(version)s, mention.*
      from ended,
           unnest(%(brand_ids)s::bigint[], %(mention_starts)s::integer[],
                  %(mention_ends)s::integer[], %(surfaces)s::text[]) as mention
), citations as (
    insert into capture.citation
           (workspace_id, capture_id, version, position, url, domain, title, used, starts, ends)
    select ended.workspace_id, ended.id, %(version)s, citation.*
      from ended,
           unnest(%(positions)s::integer[], %(urls)s::text[], %(domains)s::text[],
                  %(titles)s::text[], %(used)s::boolean[], %(citation_starts)s::integer[],
                  %(citation_ends)s::integer[]) as citation
)
select id from ended
