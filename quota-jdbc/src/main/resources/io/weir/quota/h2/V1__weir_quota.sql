-- Quotas of Weir, for H2. Instants are instants, whatever the time zone of a session. Keys are kept escaped, in up to 256
-- characters. Rows of one account are changed only by who has locked its row in weir_quota_account.

CREATE TABLE weir_quota_account (
    quota  VARCHAR(64) NOT NULL,
    holder VARCHAR(256) NOT NULL,
    cap    BIGINT CHECK (cap >= 0),
    raised BIGINT DEFAULT 0 NOT NULL,
    PRIMARY KEY (quota, holder)
);

CREATE TABLE weir_quota_period (
    quota        VARCHAR(64) NOT NULL,
    holder       VARCHAR(256) NOT NULL,
    period_start TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    period_end   TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    spent        BIGINT NOT NULL CHECK (spent >= 0),
    reserved     BIGINT NOT NULL CHECK (reserved >= 0),
    PRIMARY KEY (quota, holder, period_start)
);
CREATE INDEX weir_quota_period_end ON weir_quota_period (quota, holder, period_end);
CREATE INDEX weir_quota_period_old ON weir_quota_period (period_end);

CREATE TABLE weir_quota_reservation (
    quota        VARCHAR(64) NOT NULL,
    holder       VARCHAR(256) NOT NULL,
    id           VARCHAR(256) NOT NULL,
    state        VARCHAR(36) NOT NULL CHECK (state IN ('OPEN', 'SETTLED', 'RELEASED', 'EXPIRED')),
    amount       BIGINT NOT NULL CHECK (amount >= 0),
    settled      BIGINT NOT NULL CHECK (settled >= 0),
    charged      BIGINT NOT NULL CHECK (charged BETWEEN 0 AND settled),
    period_start TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    period_end   TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    expires_at   TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    parts        VARCHAR(100000) NOT NULL,
    answer       VARCHAR(100000),
    PRIMARY KEY (quota, holder, id)
);
CREATE INDEX weir_quota_reservation_open ON weir_quota_reservation (quota, holder, state, expires_at);
CREATE INDEX weir_quota_reservation_old ON weir_quota_reservation (expires_at);

CREATE TABLE weir_quota_credit (
    quota      VARCHAR(64) NOT NULL,
    holder     VARCHAR(256) NOT NULL,
    id         VARCHAR(256) NOT NULL,
    amount     BIGINT NOT NULL CHECK (amount >= 0),
    used       BIGINT NOT NULL CHECK (used BETWEEN 0 AND amount),
    expires_at TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    PRIMARY KEY (quota, holder, id)
);
CREATE INDEX weir_quota_credit_old ON weir_quota_credit (expires_at);

-- What is remembered under an idempotency key.
CREATE TABLE weir_quota_operation (
    quota           VARCHAR(64) NOT NULL,
    holder          VARCHAR(256) NOT NULL,
    idempotency_key VARCHAR(256) NOT NULL,
    request         VARCHAR(100000) NOT NULL,
    attempt         VARCHAR(36) NOT NULL,
    amount          BIGINT NOT NULL CHECK (amount >= 0),
    refunded        BIGINT DEFAULT 0 NOT NULL CHECK (refunded BETWEEN 0 AND amount),
    period_start    TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    period_end      TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    parts           VARCHAR(100000) NOT NULL,
    answer          VARCHAR(100000) NOT NULL,
    confirmed       BOOLEAN DEFAULT FALSE NOT NULL,
    created_at      TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    PRIMARY KEY (quota, holder, idempotency_key)
);
CREATE INDEX weir_quota_operation_old ON weir_quota_operation (created_at);

-- The history: only ever added to. By how much spent and reserved changed, of the credit if there is one, otherwise of the period.
CREATE TABLE weir_quota_ledger (
    id              BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at              TIMESTAMP(6) WITH TIME ZONE NOT NULL,
    quota           VARCHAR(64) NOT NULL,
    holder          VARCHAR(256) NOT NULL,
    period_start    TIMESTAMP(6) WITH TIME ZONE,
    kind            VARCHAR(36) NOT NULL,
    spent           BIGINT NOT NULL,
    reserved        BIGINT NOT NULL,
    amount          BIGINT NOT NULL,
    idempotency_key VARCHAR(256),
    reservation     VARCHAR(256),
    credit          VARCHAR(256)
);
