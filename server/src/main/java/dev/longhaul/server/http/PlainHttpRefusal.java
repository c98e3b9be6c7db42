package dev.longhaul.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes connections to the TLS port that do not begin with a TLS record, and logs one line instead of a stack trace. */
public final class PlainHttpRefusal extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(PlainHttpRefusal.class);
    /** First of the types that a TLS record may have. */
    private static final int FIRST_KIND = 20;

    private static final int LAST_KIND = 24;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof ByteBuf bytes && bytes.isReadable()) {
            int kind = bytes.getUnsignedByte(bytes.readerIndex());
            if (kind < FIRST_KIND || kind > LAST_KIND) {
                LOG.warn(
                        "{} does not speak TLS on the TLS port; connection closed",
                        context.channel().remoteAddress());
                ReferenceCountUtil.release(message);
                var unused = context.close();
                return;
            }
            context.pipeline().remove(this);
        }
        context.fireChannelRead(message);
    }
}
