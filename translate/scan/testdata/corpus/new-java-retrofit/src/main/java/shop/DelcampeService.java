package shop;
import retrofit2.Call;
import retrofit2.http.*;

public interface DelcampeService {
    @FormUrlEncoded @POST("seller")
    Call<Notification> login(@Field("apikey") String key);

    @GET("item/{id}")
    Call<Notification> item(@Path("id") long id, @Query("token") String token);

    @FormUrlEncoded
    @HTTP(method = "DELETE", path = "item/{id}", hasBody = true)
    Call<Notification> close(@Path("id") long id, @Field("reason") String reason);

    @GET("item/{type}/sold")
    Call<Notification> sold(@Path("type") String type, @Query("startingItem") int from);

    @DELETE("notification/{id}")
    Call<Notification> unsubscribe(@Path("id") long id);
}
